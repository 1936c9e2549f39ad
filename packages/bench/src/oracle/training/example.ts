import type { ExportOptions } from 'data-designer';

export type Fields = Readonly<Record<string, unknown>>;

/** An example as its reader has it: its parts by name. */
export type Example = Fields;

/** A message as all formats are compared: calls are pairs of a name and arguments. */
export interface Said {
  readonly role: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly (readonly [name: unknown, args: unknown])[];
  /** The addresses of images. */
  readonly images: readonly unknown[];
}

/** An export, and what its reader must have of each row. */
export interface Case {
  readonly format: NonNullable<ExportOptions['format']>;
  readonly name: string;
  readonly dataset: 'made' | 'recorded';
  readonly options: Partial<ExportOptions>;
  readonly expect: (row: Fields) => Example;
}

interface StoredPart {
  readonly type: string;
  readonly text?: string | null;
  readonly url?: string | null;
}

interface StoredMessage {
  readonly role: string;
  readonly content: string | readonly StoredPart[] | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments: string } }[] | null;
}

/** The messages of a trace or a conversation, as they are stored. */
export function saidIn(trace: unknown): readonly Said[] {
  return (trace as readonly StoredMessage[]).map(
    ({ role, content, reasoning_content: reasoning, tool_calls: calls }) => {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
      return {
        role,
        text: parts.map(({ text }) => text ?? '').join(''),
        reasoning: reasoning ?? '',
        calls: (calls ?? []).map((call) => [
          call.function.name,
          JSON.parse(call.function.arguments, rounded) as unknown,
        ]),
        images: parts.flatMap((part) => ('url' in part && part.type === 'image' ? [part.url] : [])),
      };
    },
  );
}

export function said(role: string, text: unknown): Said {
  return { role, text: String(text), reasoning: '', calls: [], images: [] };
}

/** An example without the reasoning of its messages. */
export function plainly(example: Example): Example {
  const parts = Object.entries(example).map(([part, value]) => [
    part,
    Array.isArray(value) ? value.map((one: object) => ('reasoning' in one ? { ...one, reasoning: '' } : one)) : value,
  ]);
  return Object.fromEntries(parts) as Example;
}

/** The library datasets reads JSON with a parser whose last digit may be wrong: 1.39 is 1.3900000000000001. */
export function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(15)) : value;
}
