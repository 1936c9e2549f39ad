import type {
  Address,
  CallLimits,
  CallOutcome,
  ChatMessage,
  ContentPart,
  Picture,
  PlannedModel,
  TokenCounts,
  ToolSchema,
} from '@data-designer/core';
import type { NativeShape } from './shape/native-shape.ts';

/** What every request says: which model, its parameters with `extra_body` merged in, its limits. */
export interface ModelRequest extends CallLimits {
  readonly model: string;
  readonly parameters: PlannedModel['parameters'];
}

/** One request to a chat model, as the conversation sees it. */
export interface ChatRequest extends ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolSchema[] | undefined;
  /** The schema that the endpoint shall hold the answer to; protocols that take none leave it out. */
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

/** One answer of a chat model. */
export interface ChatAnswer {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  /** The model that the answer names; null where it names none. */
  readonly model: string | null;
  /** Whether its content is neither text nor a list of parts, and was left out. */
  readonly isNoText?: boolean;
  /** The answer as its provider wrote it, where it must go back unchanged in later requests. */
  readonly asWritten?: unknown;
}

/** One vector for each text, in order. */
export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
}

/** At least one picture, or where it can be fetched. */
export interface ImageAnswer {
  readonly pictures: readonly (Picture | { readonly url: string })[];
}

/** What an answer took: its tokens, and the pictures it gives. */
export interface Spent {
  readonly tokens: TokenCounts;
  readonly pictures: number;
}

/** Told what a request comes to before its answer is read, for one that cannot be used is paid as well. */
export interface Meter {
  /** Every outcome, refusals too. */
  readonly onOutcome: (outcome: CallOutcome) => void;
  /** What the body of a success tells. */
  readonly onSpent: (spent: Spent) => void;
}

/** Asks a model through the gateway, by the protocol of its provider. Throws `model/*` failures only. */
export interface ModelClient {
  chat(request: ChatRequest, at: Address, meter?: Meter): Promise<ChatAnswer>;
  embed(request: EmbeddingRequest, at: Address, meter?: Meter): Promise<EmbeddingAnswer>;
  generateImage(request: ImageRequest, at: Address, meter?: Meter): Promise<ImageAnswer>;
}
