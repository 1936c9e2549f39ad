import type { Call, CallOutcome, Gateway, ToolSchema } from '@data-designer/core';

/** What a server says to a call: content with its flag, a failure, or nothing within the time. */
interface ScriptedResult {
  readonly content?: unknown;
  readonly isError?: boolean;
  readonly raise?: string;
  readonly timeout?: boolean;
}

/** One answer of the model. */
interface ScriptedAnswer {
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish_reason?: string;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

/** The answers of models and tools, in order. */
export interface Script {
  readonly model_script: readonly ScriptedAnswer[];
  readonly servers?: Readonly<Record<string, readonly ListedTool[]>>;
  /** By tool; a list is used up one for each call, its last entry repeats. */
  readonly tool_results?: Readonly<Record<string, ScriptedResult | readonly ScriptedResult[]>>;
}

interface WireRequest {
  readonly messages: readonly unknown[];
  readonly tools?: readonly ToolSchema[];
}

/** A gateway behind which everything is said as it is written down beforehand. */
export class ScriptedGateway implements Gateway {
  readonly requests: WireRequest[] = [];
  readonly executed: { provider: string; name: string; arguments: unknown }[] = [];
  readonly #script: Script;
  readonly #calls = new Map<string, number>();

  constructor(script: Script) {
    this.#script = script;
  }

  admit(): Promise<void> {
    return Promise.resolve();
  }

  call({ resource, path, body }: Call): Promise<CallOutcome> {
    return Promise.resolve(path === 'tools/call' ? this.#runTool(resource, body) : this.#answer(body));
  }

  listTools(provider: string): Promise<readonly ToolSchema[]> {
    const tools = this.#script.servers?.[provider] ?? [];
    return Promise.resolve(
      tools.map(({ name, description = '', inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema ?? { type: 'object', properties: {} } },
      })),
    );
  }

  cancel(): void {}

  #answer(body: string): CallOutcome {
    const answer = this.#script.model_script[this.requests.length];
    this.requests.push(JSON.parse(body) as WireRequest);
    if (!answer) throw new Error('The script has no further answer.');
    const { content, reasoning_content, tool_calls: calls, finish_reason = 'stop' } = answer;
    const tool_calls = calls?.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
    return outcome(200, {
      choices: [{ message: { role: 'assistant', content, reasoning_content, tool_calls }, finish_reason }],
    });
  }

  #runTool(resource: string, body: string): CallOutcome {
    const { name, arguments: args } = JSON.parse(body) as { name: string; arguments: unknown };
    this.executed.push({ provider: resource.replace(/^tools\//, ''), name, arguments: args });
    const nth = this.#calls.get(name) ?? 0;
    this.#calls.set(name, nth + 1);
    const scripted = this.#script.tool_results?.[name] ?? { content: [] };
    const list: readonly ScriptedResult[] = Array.isArray(scripted) ? scripted : [scripted];
    const result = list[Math.min(nth, list.length - 1)] as ScriptedResult;
    if (result.timeout) return { status: 504, headers: {}, body: 'it did not answer within its time' };
    if (result.raise !== undefined) return { status: 502, headers: {}, body: result.raise };
    return outcome(200, result);
  }
}

function outcome(status: number, body: unknown): CallOutcome {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
