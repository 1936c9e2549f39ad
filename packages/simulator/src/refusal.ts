/** An answer that says no, in the form OpenAI-compatible servers use. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly param?: string;
  readonly retryAfter?: string | undefined;
  /** What the refusal is called in machine's words, where its status does not say it all. */
  readonly code?: string;
}

const CODES: Readonly<Record<number, readonly [type: string, code: string | null]>> = {
  400: ['invalid_request_error', null],
  401: ['invalid_request_error', 'invalid_api_key'],
  404: ['invalid_request_error', 'not_found'],
  405: ['invalid_request_error', 'method_not_supported'],
  413: ['invalid_request_error', 'request_too_large'],
  429: ['requests', 'rate_limit_exceeded'],
};

/** A refusal of what the request itself says, with the field that is wrong. */
export function badRequest(message: string, param?: string): Refusal {
  return param === undefined ? { status: 400, message } : { status: 400, message, param };
}

/** The JSON body of a refusal. */
export function refusalBody({ status, message, param, code: own }: Refusal): string {
  const [type, code] = CODES[status] ?? (status < 500 ? ['invalid_request_error', null] : ['server_error', null]);
  return JSON.stringify({ error: { message, type, param: param ?? null, code: own ?? code } });
}
