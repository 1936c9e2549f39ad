import { fieldsOf, type Redact, tryParse } from '@data-designer/core';
import { retryAfterMs } from './busy-waits.ts';
import { isDoubtfulStatus } from './session-doubt.ts';

/** Characters of an error page in a reason. */
const PAGE_KEPT = 500;

/** An HTTP status of 400 or more as the answer to a request. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  /** Whether a session that has gone would explain the refusal. The server has run nothing then. */
  readonly isSessionDoubt: boolean;
  /** The code of the JSON-RPC error that the server answered, if it is one. */
  readonly rpcCode: unknown;

  constructor(status: number, reason: string, { isSessionDoubt, rpcCode }: Partial<HttpRefusal> = {}) {
    super(reason);
    this.status = status;
    this.isSessionDoubt = isSessionDoubt === true;
    this.rpcCode = rpcCode;
  }
}

/** Reads a refusal: its reason is the status, what `WWW-Authenticate` says, the page, and the wait that the server asks for. */
export async function readRefusal(
  response: Response,
  { redact, hasSession }: { readonly redact: Redact; readonly hasSession: boolean },
): Promise<HttpRefusal> {
  const { status, headers } = response;
  const body = await startOf(response);
  const error = errorIn(body);
  const page = redact(saidIn(error, body)).slice(0, PAGE_KEPT).trim();
  const text = [challengeOf(redact(headers.get('www-authenticate') ?? '')), page].filter(Boolean).join('; ');
  const asked = status === 429 || status === 503 ? retryAfterMs(headers.get('retry-after')) : undefined;
  const wait = asked === undefined ? '' : ` (it asks to wait ${Math.ceil(asked / 1_000)} s)`;
  return new HttpRefusal(status, `HTTP ${status}${text && `: ${text}`}${wait}`, {
    isSessionDoubt: isDoubtfulStatus(status, { text, hasSession }),
    rpcCode: error.code,
  });
}

/** At most so many bytes of a page are read. */
const MOST_READ = 2 ** 18;

/** The start of a page, however long it is. */
async function startOf({ body }: Response): Promise<string> {
  const pieces: string[] = [];
  let bytes = 0;
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body ?? []) {
      pieces.push(decoder.decode(chunk, { stream: true }));
      bytes += chunk.length;
      if (bytes > MOST_READ) break;
    }
  } catch {
    // A page that breaks off still says something.
  }
  return pieces.join('');
}

/** The error of a page that is a JSON-RPC answer. */
function errorIn(page: string): Readonly<Record<string, unknown>> {
  const answer = page.length <= MOST_READ ? tryParse<unknown>(page, JSON.parse) : undefined;
  return fieldsOf(fieldsOf(answer).error);
}

/** What a page says: the error of a JSON-RPC answer, else the page itself. */
function saidIn({ message, data }: ReturnType<typeof errorIn>, page: string): string {
  if (typeof message !== 'string' || message.trim() === '') return page;
  return typeof data === 'string' && !message.includes(data) ? `${message} (${data})` : message;
}

/** What a server says about missing or insufficient rights. */
function challengeOf(header: string): string {
  const param = (name: string): string => {
    const [, quoted, plain] =
      new RegExp(`(?:^|[\\s,])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s,]+))`, 'i').exec(header) ?? [];
    return (quoted?.replaceAll(/\\(.)/g, '$1') ?? plain ?? '').slice(0, PAGE_KEPT);
  };
  const scope = param('scope');
  const metadata = param('resource_metadata');
  const parts = [
    param('error_description') || param('error'),
    scope && `it needs the scope ${scope}`,
    metadata && `its OAuth metadata is at ${metadata}`,
  ];
  return parts.filter(Boolean).join('; ');
}

/** What to do about a refused right. */
const REMEDY =
  'set api_key of the provider to an access token, or headers (such as authorization) to what the server expects';

/** The reason for which no session could be opened, with a remedy where the server refused the rights. */
export function openingReason(thrown: Error): string {
  const isRight = thrown instanceof HttpRefusal && (thrown.status === 401 || thrown.status === 403);
  return isRight ? `${thrown.message}; ${REMEDY}` : thrown.message;
}

/** Statuses with which a server answers the wrong transport. */
const WRONG_TRANSPORT: ReadonlySet<number> = new Set([400, 404, 405, 406, 410, 411, 415, 422, 501]);

/** Whether a server may speak the other HTTP transport. */
export function mayBeOtherTransport(thrown: unknown): boolean {
  return thrown instanceof HttpRefusal && WRONG_TRANSPORT.has(thrown.status);
}

/** Whether a refusal may be over in a moment, as while a server restarts behind a proxy. */
export function mayBeRestart(thrown: unknown): boolean {
  return thrown instanceof HttpRefusal && (thrown.status === 404 || thrown.status >= 500);
}
