import { type CallContext, DataDesignerError, type Gateway, type Picture, WEB } from '@data-designer/core';
import { mediaTypeOf } from './read-picture.ts';

/** How long a download may take (as in NeMo Data Designer). */
const DOWNLOAD_MS = 60_000;
/** More than any model's picture takes. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Fetches a picture that an answer points to, through the gateway; throws `model/no-picture` where there is none. */
export async function fetchPicture(
  url: string,
  { gateway, context, model }: { readonly gateway: Gateway; readonly context: CallContext; readonly model: string },
): Promise<Picture> {
  const { row, column } = context;
  const at = { row, column, call: context.nextCall() };
  await gateway.admit(WEB, at);
  const body = JSON.stringify({ url, maxBytes: MAX_BYTES });
  const outcome = await gateway.call({ resource: WEB, path: 'download', body, timeoutMs: DOWNLOAD_MS, ...at });
  const noPicture = (reason: string) => new DataDesignerError('model/no-picture', { model, reason });
  if (outcome.status < 200 || outcome.status >= 300) {
    throw noPicture(`what it points to cannot be fetched (status ${outcome.status}: ${outcome.body.slice(0, 200)})`);
  }
  const stated = outcome.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  const mediaType = mediaTypeOf(outcome.body) ?? stated;
  if (!mediaType?.startsWith('image/')) throw noPicture(`what it points to is ${stated ?? 'of an unknown kind'}`);
  return { mediaType, base64: outcome.body };
}
