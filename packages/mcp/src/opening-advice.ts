import { DataDesignerError, isFailure, type Redact } from '@data-designer/core';
import type { ToolProvider } from './provider.ts';

/** A text that a web page begins with, or an error about its type. */
const WEB_PAGE = /text\/html|invalid content type|<html|<!doctype/i;

/** A part of a path that may be a key: a long word with a digit. */
const SECRET_PART = /(?<=\/)(?=[^/]*\d)[^/]{12,}/g;

/** Characters of a command that are shown. */
const SHOWN = 300;

/** A word that says that a secret is its value, or follows. */
const SECRET_WORD = /key|token|secret|passw|credential|auth/i;

/** What was started or called, and what to correct, for a server whose session cannot be opened. */
export function openingAdvice(
  provider: ToolProvider,
  {
    reason,
    redact,
    hasStrayText,
  }: { readonly reason: string; readonly redact: Redact; readonly hasStrayText: boolean },
): string {
  if (provider.providerType !== 'stdio') {
    const { origin, pathname } = new URL(provider.endpoint);
    const called = `Its endpoint is ${redact(`${origin}${pathname.replaceAll(SECRET_PART, '…')}`)}.`;
    if (!WEB_PAGE.test(reason)) return called;
    return `${called} A web page answers there, and no MCP server: correct 'endpoint', which often ends with /mcp, or with /sse for provider_type: sse.`;
  }
  const started = `It was started with \`${redact(commandLine(provider.command, provider.args)).slice(0, SHOWN)}\`.`;
  return hasStrayText
    ? `${started} Its stdout may have MCP messages only: let it log to stderr, or correct 'command' and 'args' if it is no MCP server.`
    : `${started} Run this command to see why it fails, and correct 'command', 'args' or 'env'.`;
}

/** A command without the values of words such as --token. */
function commandLine(command: string, args: readonly string[]): string {
  const words = args.map((word, at) => {
    const [, name, value] = /^([\w-]+)=(.*)$/s.exec(word) ?? [];
    if (name !== undefined && value !== undefined && SECRET_WORD.test(name)) return `${name}=…`;
    const before = args[at - 1] ?? '';
    return before.startsWith('-') && !before.includes('=') && SECRET_WORD.test(before) ? '…' : word;
  });
  return [command, ...words].map((word) => (/[\s'"]/.test(word) ? JSON.stringify(word) : word)).join(' ');
}

/** The message of a failure for a model, which cannot correct a provider. */
export function messageForModel(thrown: unknown): string {
  const failure = DataDesignerError.fromUnknown(thrown);
  if (!isFailure(failure, 'tool/unavailable')) return failure.message;
  const { provider, reason } = failure.data;
  return new DataDesignerError('tool/unavailable', { provider, reason }).message;
}
