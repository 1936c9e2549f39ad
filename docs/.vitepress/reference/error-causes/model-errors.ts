import type { FailureCode } from '@data-designer/core';
import { type Explained, RESUME } from './explained.ts';

/** The data of a refusal. */
const answer = { model: 'acme-7b', status: 400, reason: 'invalid request' } as const;

/** What a request to it carried. */
const sent =
  "the model name 'acme-7b' and the key of the environment variable ACME_KEY to http://localhost:8000/v1/chat/completions (provider 'acme')";

/** Errors of models. */
export const modelErrors = {
  'model/rate-limited': {
    cause:
      "The endpoint answered every attempt with status 429 until the call's time limit. The cell fails; if no request of the run succeeds, the run ends.",
    remedy: 'Lower `max_parallel_requests`, raise `total_timeout`, or ask the provider for a higher limit.',
    example: { model: 'acme-7b', reason: 'Rate limit reached' },
  },
  'model/asked-to-wait': {
    cause:
      'The endpoint asked to wait (`Retry-After` and the like) for more than 15 minutes longer than a call may take. The run ends; its rows stay unfinished.',
    remedy: `After the time in the message, ${RESUME}; or raise \`total_timeout\`.`,
    example: {
      model: 'acme-7b',
      status: 429,
      server: 'api.example.com:443',
      waitSeconds: 3600,
      until: '2026-01-01T01:00:00.000Z',
      reason: 'Rate limit reached',
    },
  },
  'model/picture-not-yet': {
    cause:
      'The server of a picture asked to wait (`Retry-After`) for longer than the run pauses. The run ends; its rows stay unfinished.',
    remedy: `After the time in the message, ${RESUME}.`,
    example: { server: 'images.example.com', status: 429, waitSeconds: 3600, until: '2026-01-01T01:00:00.000Z' },
  },
  'model/timed-out': {
    cause:
      'The endpoint did not answer within the time limit. The cell fails; if no request of the run is answered, the run ends.',
    remedy: 'Raise `timeout` or `total_timeout` in the inference parameters of the model.',
    example: { model: 'acme-7b', timeoutMs: 600_000 },
  },
  'model/unreachable': {
    cause:
      'The endpoint cannot be connected to, or its connection ends before its answer does. The cell fails; if the endpoint has never responded, the run ends.',
    remedy: 'Check that the server is running, that the address of the provider is correct, and the proxy.',
    example: { model: 'acme-7b', reason: 'connection refused' },
  },
  'model/server-error': {
    cause:
      'The endpoint answered every attempt with a status of 500 or above, or with 409 or 425. The cell fails; if no request of the run is answered, the run ends.',
    remedy: "Look at the server's log, or wait and resume.",
    example: { ...answer, status: 503, reason: 'overloaded' },
  },
  'model/unauthorized': {
    cause: 'The endpoint does not accept the key (status 401). The run ends.',
    remedy: `Correct the key, then ${RESUME}.`,
    example: { ...answer, status: 401, reason: 'Incorrect API key provided', sent },
  },
  'model/permission-denied': {
    cause: 'The key may not use this model (status 403). The run ends.',
    remedy: `Ask the provider for access, or use another model; then ${RESUME}.`,
    example: { ...answer, status: 403, reason: 'no access to this model', sent },
  },
  'model/quota-exceeded': {
    cause: 'The account has no credit left. The run ends.',
    remedy: `Add credit, then ${RESUME}.`,
    example: { ...answer, status: 402, reason: 'insufficient credit' },
  },
  'model/not-found': {
    cause:
      'The endpoint does not know the model, has no such path (status 404), or redirects to another address. The run ends.',
    remedy:
      'Check `model` in the config and `endpoint` of the provider; after a redirect, set `endpoint` to its target.',
    example: {
      ...answer,
      status: 404,
      reason: 'model not found',
      sent,
    },
  },
  'model/context-exceeded': {
    cause: 'The prompt is longer than the context of the model. The cell fails.',
    remedy: 'Shorten the prompt, lower `max_result_chars` of its tools, or use a model with a longer context.',
    example: { ...answer, reason: 'maximum context length is 8192 tokens' },
  },
  'model/unprocessable': {
    cause: 'The endpoint cannot process the request (status 422). The cell fails.',
    remedy: 'Check the inference parameters, `extra_body`, and the media in the prompt.',
    example: { ...answer, status: 422, reason: 'invalid image' },
  },
  'model/unsupported-parameter': {
    cause: 'The model does not support an inference parameter. The cell fails.',
    remedy: 'Remove the parameter from `inference_parameters` or `extra_body`.',
    example: { ...answer, reason: "'temperature' is not supported" },
  },
  'model/rejected': {
    cause: 'The endpoint refused the request for another reason. The cell fails.',
    remedy: 'Read the reason in the message, and change the request.',
    example: { ...answer, sent },
  },
  'model/unsupported-capability': {
    cause:
      'A column needs a capability that the protocol of the provider does not have, such as images. The cell fails.',
    remedy: 'Use a model of another provider.',
    example: { model: 'painter', capability: 'generate images', protocol: 'anthropic' },
  },
  'model/text-only': {
    cause:
      'The endpoint says that the model reads no images, and the column shows it images of `multi_modal_context`. The cell fails. Further requests with such images are not sent.',
    remedy: 'Use a model that reads images, or remove `multi_modal_context` from the column.',
    example: { model: 'acme-7b', reason: 'this model does not support image input' },
  },
  'model/no-picture': {
    cause: 'The answer to an `image` column contains no usable image. The cell fails.',
    remedy: 'Check that the model generates images.',
    example: { model: 'painter', reason: 'the answer contains text only' },
  },
  'model/not-listed': {
    cause:
      '`config providers` tests a model provider by listing its models. The provider could not be reached, or refused the request.',
    remedy: 'Do what the message says, or save the provider without the test: `--no-connect`.',
    example: {
      provider: 'mine',
      reason: 'connect ECONNREFUSED 127.0.0.1:9000',
      remedy: 'Check that it is running and that its endpoint is correct.',
    },
  },
  'model/not-ready': {
    cause: '`config models` tests a model with a small request, which failed.',
    remedy: 'Do what the message says, or save the model without the test: `--no-connect`.',
    example: { alias: 'writer', reason: "The endpoint of model 'mine/small' denied access (status 401): wrong key." },
  },
  'model/unusable-provider': {
    cause: 'A model provider cannot be used: its address or its headers are invalid.',
    remedy: 'Correct the provider as the message says.',
    example: {
      provider: 'local',
      reason: "its endpoint 'localhost' is not an address",
      remedy: 'Write it as http://localhost:8000/v1.',
    },
  },
  'model/broken-answer': {
    cause:
      'The endpoint answered every attempt with status 200 and a body that cannot be read: a page, half an answer, a stream that ends early, nothing. The cell fails; if no request of the run is answered, the run ends.',
    remedy: 'Check that the endpoint serves the protocol in `provider_type`, and any proxy before it; then resume.',
    example: {
      model: 'acme-7b',
      reason: 'its body is not valid JSON: {"choices":[{"mess',
      sent,
      remedy: 'Look at the log of the server, and for a proxy that cuts answers off.',
    },
  },
  'model/bad-answer': {
    cause:
      'The endpoint answered with status 200, but with something that is not an answer of its protocol. The cell fails.',
    remedy: 'Check that the endpoint serves the protocol in `provider_type`.',
    example: { model: 'acme-7b', reason: 'it is an HTML page' },
  },
  'model/no-choice': {
    cause: 'The endpoint answered with status 200, but with an error or without a message. The cell fails.',
    remedy: 'Check the endpoint. It may charge for these answers.',
    example: { model: 'acme-7b', reason: 'it contains no choices', attempts: 3 },
  },
  'model/answer-too-long': {
    cause: 'An answer was larger than the size limit. The cell fails.',
    remedy: 'Raise `max_answer_mb` in the inference parameters, if such answers are intended.',
    example: { model: 'acme-7b', maxBytes: 16_000_000 },
  },
  'model/gave-up': {
    cause: 'The model returned no valid answer after all corrections and restarts. The cell fails.',
    remedy:
      'Simplify the requested output, allow corrections with `max_conversation_correction_steps`, or use a stronger model.',
    example: { model: 'writer', reason: `'age' must be of type integer, but it is "x"`, corrections: 0, restarts: 5 },
  },
  'model/no-final-answer': {
    cause: 'The model still called tools when its turns were used up. The cell fails.',
    remedy: 'Raise `max_tool_call_turns` of the tool config, or change the prompt.',
    example: { model: 'writer', turns: 5 },
  },
} satisfies Partial<Record<FailureCode, Explained>>;
