import {
  type CallPath,
  DataDesignerError,
  type ModelProtocolName,
  type PlannedModel,
  REQUEST_RULES_NAMES,
} from '@data-designer/core';
import type { ModelProtocol } from '../model-protocol.ts';
import { REQUEST_RULES, type RequestRules } from '../rules/request-rules.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { openaiResponses } from './openai-responses/openai-responses.ts';
import { openai } from './openai/openai.ts';

export { failureOfOutcome } from '../answers/failure-of-outcome.ts';
export { saysTextOnly } from '../answers/is-picture-refusal.ts';
export { readTokens } from '../answers/read-tokens.ts';
export { fitTools } from '../rules/fit-tools.ts';
export { chosenRules, type RequestRules } from '../rules/request-rules.ts';
export type { AnswerForm, ModelProtocol } from '../model-protocol.ts';

const PROTOCOLS: Readonly<Record<ModelProtocolName, ModelProtocol>> = {
  openai,
  'openai-responses': openaiResponses,
  anthropic,
};

/** Every protocol of this version. */
export const MODEL_PROTOCOLS: readonly ModelProtocol[] = Object.values(PROTOCOLS);

const BY_NAME: ReadonlyMap<string, ModelProtocol> = new Map(
  MODEL_PROTOCOLS.map((protocol) => [protocol.name, protocol]),
);
const BY_PATH = new Map(
  MODEL_PROTOCOLS.toReversed().flatMap((protocol) => Object.keys(protocol.paths).map((path) => [path, protocol])),
);

/** The protocol of a `provider_type`; an unknown one is our own mistake, since configs are checked. */
export function protocolOf(name: string): ModelProtocol {
  const found = BY_NAME.get(name);
  if (!found) throw new DataDesignerError('internal/unexpected', { reason: `unknown model protocol '${name}'` });
  return found;
}

/** The request rules of a model: those of its provider, else those of its protocol. */
export function rulesOf({ protocol, requestRules }: Pick<PlannedModel, 'protocol' | 'requestRules'>): RequestRules {
  const named = REQUEST_RULES_NAMES.find((name) => name === requestRules);
  return named === undefined ? protocolOf(protocol).rules : REQUEST_RULES[named];
}

/** The first protocol with this call path; undefined for the gateway's own paths. */
export function protocolOfPath(path: CallPath): ModelProtocol | undefined {
  return BY_PATH.get(path);
}
