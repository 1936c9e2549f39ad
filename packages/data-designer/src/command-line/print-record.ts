import { styleText } from 'node:util';

interface TraceMessage {
  readonly role: string;
  readonly content: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[] | null;
}

/** One record as text for a terminal: plain values first, then each trace as a conversation. */
export function printRecord(record: Readonly<Record<string, unknown>>, number: number): string {
  const entries = Object.entries(record);
  const lines = [styleText('bold', `Record ${number}`)];
  for (const [name, value] of entries) {
    if (!name.endsWith('__trace')) lines.push(`  ${styleText('cyan', name)}: ${printValue(value)}`);
  }
  for (const [name, value] of entries) {
    if (!name.endsWith('__trace') || !Array.isArray(value)) continue;
    lines.push(`  ${styleText('cyan', name)}:`, ...(value as readonly TraceMessage[]).flatMap(printMessage));
  }
  return `${lines.join('\n')}\n`;
}

function printValue(value: unknown): string {
  return typeof value === 'string'
    ? value
    : JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part));
}

function printMessage({ role, content, reasoning_content: reasoning, tool_calls: calls }: TraceMessage): string[] {
  return [
    ...(reasoning ? [line('reasoning', reasoning)] : []),
    ...(content ? [line(role, content)] : []),
    ...(calls ?? []).map((call, index) =>
      line(`tool call #${index + 1} -> ${call.function.name}`, call.function.arguments),
    ),
  ];
}

function line(label: string, text: string): string {
  return `    ${styleText('yellow', `[${label}]`)} ${text.replaceAll('\n', '\n    ')}`;
}
