import type { ToolSchema } from '@data-designer/core';
import type { ToolDefinition } from './define-tool.ts';

/** Functions of this program as tools. They run on the thread of the program and must not block it. */
export interface FunctionToolProvider {
  /** The name that tool configs use. */
  readonly name: string;
  /** Marks a provider without a server. */
  readonly providerType: 'local';
  /** The tools, made with `defineTool`. */
  readonly tools: readonly ToolDefinition[];
  /** Prefix of its tool names in requests: 1 to 32 letters, digits, `_` or `-`. */
  readonly toolPrefix?: string | undefined;
  /** The function behind `context.readResource` of these tools. */
  readonly readResource?: ((uri: string) => unknown) | undefined;
}

/** A module whose exports are tools. It runs in a thread of its own, which it may block. */
export interface ModuleToolProvider {
  /** The name that tool configs use. */
  readonly name: string;
  /** Marks a provider without a server. */
  readonly providerType: 'local';
  /** Its path, from the working folder unless absolute, or its `file:` address. A function `readResource` may be exported too. */
  readonly module: string | URL;
  /** Prefix of its tool names in requests: 1 to 32 letters, digits, `_` or `-`. */
  readonly toolPrefix?: string | undefined;
}

/** Tools that need no server. Only the calling program or a flag may name one, never a config. */
export type LocalToolProvider = FunctionToolProvider | ModuleToolProvider;

/** A local provider as the I/O thread knows it: functions stay where they are, a module is named by its address. */
export type LocalToolSource = { readonly name: string; readonly toolPrefix?: string | undefined } & (
  | { readonly tools: readonly ToolSchema[] }
  | { readonly module: string }
);
