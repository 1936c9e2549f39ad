import type { Address, Call, CallOutcome, ToolSchema, WireFailure } from '@data-designer/core';

/** Text on a port: as it is when small, as transferred bytes when large. */
export type PackedText = string | Uint8Array<ArrayBuffer>;

/** Above this many characters a text crosses as a transferred buffer: cheaper than cloning. */
const TRANSFER_ABOVE = 10_000;

/** From a row group to the gateway. `id` pairs a question with its answer. */
export type Ask =
  | {
      readonly kind: 'admit';
      readonly id: number;
      readonly resource: string;
      readonly row: number;
      readonly column: string;
      readonly call: number;
    }
  | { readonly kind: 'call'; readonly id: number; readonly call: Omit<Call, 'body'>; readonly body: PackedText }
  | { readonly kind: 'tools'; readonly id: number; readonly provider: string }
  | { readonly kind: 'cancel'; readonly row: number }
  | ({ readonly kind: 'forgo' } & Address);

/** From the gateway back to a row group. */
export type Reply =
  | { readonly kind: 'admitted'; readonly id: number }
  | {
      readonly kind: 'outcome';
      readonly id: number;
      readonly outcome: Omit<CallOutcome, 'body'>;
      readonly body: PackedText;
    }
  | { readonly kind: 'tools'; readonly id: number; readonly schemas: readonly ToolSchema[] }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: WireFailure };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function pack(text: string): PackedText {
  return text.length > TRANSFER_ABOVE ? encoder.encode(text) : text;
}

export function unpack(packed: PackedText): string {
  return typeof packed === 'string' ? packed : decoder.decode(packed);
}
