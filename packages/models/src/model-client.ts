import type {
  Address,
  CallLimits,
  CallOrigin,
  CallOutcome,
  ChatMessage,
  ContentPart,
  Picture,
  PictureSource,
  PlannedModel,
  TokenCounts,
} from '@data-designer/core';
import type { SentTool } from './rules/request-rules.ts';
import type { NativeShape } from './shape/native-shape.ts';

/** What every request says: which model, its parameters with `extra_body` merged in, its limits. */
export interface ModelRequest extends CallLimits {
  readonly model: string;
  readonly parameters: PlannedModel['parameters'];
  /** What it is for; `first` unless given. */
  readonly purpose?: CallOrigin['purpose'];
  /** Where the pictures of a conversation come from; absent without any. */
  readonly pictures?: PictureSource | undefined;
}

/** One request to a chat model. */
export interface ChatRequest extends ModelRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly SentTool[] | undefined;
  /** The schema that the endpoint shall hold the answer to; protocols that take none leave it out. */
  readonly shape?: NativeShape | undefined;
  /** Earlier answers as their provider wrote them, if it requires them unchanged. */
  readonly asWritten?: ReadonlyMap<ChatMessage, unknown> | undefined;
  /** The further fields of answers in the history, which this model wrote; see `further` of `ChatAnswer`. */
  readonly returned?: ReadonlyMap<ChatMessage, unknown> | undefined;
  /** Whether the endpoint refuses fields that it has written itself. */
  readonly takesKnownFieldsOnly?: boolean | undefined;
}

/** A request for the vectors of texts. */
export interface EmbeddingRequest extends ModelRequest {
  readonly texts: readonly string[];
}

/** A request for an image. */
export interface ImageRequest extends ModelRequest {
  readonly prompt: string;
  /** Media before the prompt; models without a conversation do not see them. */
  readonly media: readonly ContentPart[];
}

/** One answer of a chat model. */
export interface ChatAnswer {
  readonly message: ChatMessage;
  readonly finishReason: string | null;
  /** The model that the answer names; null where it names none. */
  readonly model: string | null;
  /** Whether its content was neither text nor a list of parts and is left out. */
  readonly isNoText?: boolean;
  /** The answer as its provider wrote it, if later requests must repeat it unchanged. */
  readonly asWritten?: unknown;
  /** Its fields that no field of a trace stores, such as signatures; absent without any. */
  readonly further?: unknown;
}

/** One vector for each text, in order. */
export interface EmbeddingAnswer {
  readonly vectors: readonly (readonly number[])[];
}

/** At least one picture, or where it can be fetched. */
export interface ImageAnswer {
  readonly pictures: readonly (Picture | { readonly url: string })[];
}

/** The tokens of an answer and the number of its images. */
export interface AnswerUsage {
  readonly tokens: TokenCounts;
  readonly pictures: number;
}

/** Counts a request before its answer is read: an unusable answer is paid for as well. */
export interface Meter {
  /** Every outcome, refusals included. */
  readonly onOutcome: (outcome: CallOutcome) => void;
  /** A request of which characters were replaced before it was sent. */
  readonly onMended?: () => void;
  /** The counts in the body of a success. */
  readonly onSpent: (spent: AnswerUsage) => void;
}

/** Asks a model through the gateway, by the protocol of its provider. Throws `model/*` failures only. */
export interface ModelClient {
  chat(request: ChatRequest, at: Address, meter?: Meter): Promise<ChatAnswer>;
  embed(request: EmbeddingRequest, at: Address, meter?: Meter): Promise<EmbeddingAnswer>;
  generateImage(request: ImageRequest, at: Address, meter?: Meter): Promise<ImageAnswer>;
}
