import type {
  Address,
  CallOutcome,
  ChatMessage,
  ContentPart,
  Picture,
  PlannedModel,
  ToolSchema,
} from '@data-designer/core';
import type { NativeShape } from './shape/native-shape.ts';

/** What every request says: which model, its parameters under their wire names with `extra_body` merged in, its time. */
interface ModelRequest {
  readonly model: string;
  readonly parameters: PlannedModel['parameters'];
  readonly timeoutMs: number;
}

/** One request to a chat model, as the conversation sees it. */
export interface ChatRequest extends ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolSchema[] | undefined;
  /** What the endpoint shall hold the answer to; wires without a way to are free to leave it out. */
  readonly shape?: NativeShape | undefined;
  /** Earlier answers of this client as their provider wrote them, where they must go back unchanged. */
  readonly asWritten?: ReadonlyMap<ChatMessage, unknown> | undefined;
}

/** Texts of which vectors are wanted. */
export interface EmbeddingRequest extends ModelRequest {
  readonly texts: readonly string[];
}

/** A picture that is wanted. */
export interface ImageRequest extends ModelRequest {
  readonly prompt: string;
  /** What is shown before the prompt; models without a conversation do not see it. */
  readonly media: readonly ContentPart[];
}

/** Tokens of one answer; null where the endpoint does not say. */
export interface TokenCounts {
  /** All that was read, what the provider had from earlier requests included. */
  readonly input: number | null;
  /** Of these, those that the provider had from earlier requests. */
  readonly cachedInput: number | null;
  /** All that was written, reasoning included. */
  readonly output: number | null;
  readonly reasoning: number | null;
}

/** One answer of a chat model. */
export interface ChatAnswer {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  readonly tokens: TokenCounts;
  /** The answer as its provider wrote it, where it must go back unchanged in later requests. */
  readonly asWritten?: unknown;
}

/** One vector for each text, in order. */
export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
  readonly tokens: TokenCounts;
}

/** At least one picture, or where it can be fetched. */
export interface ImageAnswer {
  readonly pictures: readonly (Picture | { readonly url: string })[];
  readonly tokens: TokenCounts;
}

/** Told of every outcome, before it is read. */
export type OnOutcome = (outcome: CallOutcome) => void;

/** The seam to the wire: one implementation per protocol, each built on `Gateway.call`. Throws `model/*` failures only. */
export interface ModelClient {
  chat(request: ChatRequest, at: Address, onOutcome?: OnOutcome): Promise<ChatAnswer>;
  embed(request: EmbeddingRequest, at: Address, onOutcome?: OnOutcome): Promise<EmbeddingAnswer>;
  paint(request: ImageRequest, at: Address, onOutcome?: OnOutcome): Promise<ImageAnswer>;
}
