import type { Address, CallPath, Fields, GenerationType, ModelProtocolName } from '@data-designer/core';
import type {
  ChatAnswer,
  ChatRequest,
  EmbeddingAnswer,
  EmbeddingRequest,
  ImageAnswer,
  ImageRequest,
} from './model-client.ts';
import type { RequestRules } from './rules/request-rules.ts';

/**
 * The request and response format of a provider: one folder under `protocols/` and one line in `protocols/protocols.ts`.
 * The I/O thread loads this part of every protocol; what builds requests and reads answers stays behind `loadRequests`.
 */
export interface ModelProtocol {
  /** The `provider_type` of its providers. */
  readonly name: ModelProtocolName;
  readonly generationTypes: readonly GenerationType[];
  /** Whether its requests can carry a JSON Schema for the answer; only then endpoints are probed for that. */
  readonly takesSchemas: boolean;
  /** Whether its chat requests can carry a seed. */
  readonly takesSeed: boolean;
  /** The paths that calls may name, with the form of their answers. Protocols that share a path share its form. */
  readonly paths: Readonly<Record<CallPath, AnswerForm>>;
  /** Precedes a path, unless the provider's endpoint ends in it. */
  readonly basePath: '' | `/${string}`;
  /** The query of a request for the list of models; empty if all are listed without one. */
  readonly listQuery: string;
  /** Headers of every request, and those that carry the key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly keyHeaders: (apiKey: string) => Readonly<Record<string, string>>;
  /** Its headers that hold no secret: their values are not redacted. */
  readonly publicHeaders: readonly string[];
  /** What its providers accept, unless a provider has rules of its own. */
  readonly rules: RequestRules;
  readonly loadRequests: () => Promise<ModelRequests>;
}

/** How the gateway tells a usable answer from a success that carries none. */
export interface AnswerForm {
  /** Whether the text shows at a glance that the answer is usable: others are parsed. */
  readonly looksUsable: (body: string) => boolean;
  /** Why a parsed answer cannot be used: the error it carries, if any, and what it lacks; undefined where it can. */
  readonly problemIn: (answer: Fields) => { readonly error: unknown; readonly reason: string } | undefined;
  /**
   * The answer in a stream of events, which some endpoints send unasked, as the object that they would send without one;
   * undefined where the stream ends before the answer does. `isEnded` tells whether it ends with `[DONE]`. Absent where
   * the path has no streams.
   */
  readonly joinEvents?: (events: readonly Fields[], isEnded: boolean) => Fields | undefined;
  /** How many images the text of an answer gives, for its cost. */
  readonly countImages: (body: string) => number;
}

/** Builds the requests of a protocol and reads their answers; undefined where the protocol has no such request. */
export interface ModelRequests {
  readonly parseBody: (text: string) => unknown;
  readonly chat: (request: ChatRequest) => PreparedRequest<ChatAnswer>;
  readonly embed: ((request: EmbeddingRequest) => PreparedRequest<EmbeddingAnswer>) | undefined;
  readonly generateImage: ((request: ImageRequest) => PreparedRequest<ImageAnswer>) | undefined;
}

/** One request as it is sent, and how its answer is read. */
export interface PreparedRequest<Answer> {
  readonly path: CallPath;
  readonly body: object;
  /** Throws `model/bad-answer` and the like. `at` names the call, for ids that a model left out. */
  readonly read: (answer: unknown, at: Address) => Answer;
  /** How many images a parsed answer gives; none where absent. */
  readonly countImages?: (answer: unknown) => number;
}
