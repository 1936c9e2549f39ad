import { expect, test } from 'vitest';
import type { Call, CallOutcome } from '@data-designer/core';
import { saysTextOnly } from '@data-designer/models/protocols';
import type { GatewayEvent } from '../gateway-event.ts';
import { PictureRefusals } from './picture-refusals.ts';

const call: Call = {
  resource: 'model/here/small',
  path: 'chat/completions',
  body: '{}',
  timeoutMs: 1000,
  row: 0,
  column: 'a',
  call: 0,
  pictures: 'tool',
};

function refused(message: string, status = 400): CallOutcome {
  return { status, headers: {}, body: JSON.stringify({ error: { message } }) };
}

const NO_IMAGES = 'This model does not support image input.';

test('a refusal of all images is given to later requests of the model with images of the same source', () => {
  const events: GatewayEvent[] = [];
  const refusals = new PictureRefusals((event) => void events.push(event));
  expect(refusals.refusalOf(call)).toBeUndefined();
  for (let time = 0; time < 2; time++) refusals.note(call, refused(NO_IMAGES));
  const tries = { requests: 0, refused: 0, possiblyPaid: 0 };
  expect(refusals.refusalOf({ ...call, row: 5 })).toEqual({ ...refused(NO_IMAGES), verdict: 'about-this', tries });
  const reason = 'This model does not support image input';
  expect(events).toEqual([{ type: 'model-refuses-pictures', model: 'here/small', source: 'tool', reason }]);
  for (const other of [{ pictures: undefined }, { pictures: 'prompt' }, { resource: 'model/here/large' }] as const)
    expect(refusals.refusalOf({ ...call, ...other })).toBeUndefined();
});

test('a refusal without images, or after images were accepted, is not remembered', () => {
  const refusals = new PictureRefusals();
  refusals.note({ ...call, pictures: undefined }, refused(NO_IMAGES));
  refusals.note(call, { status: 200, headers: {}, body: '{}' });
  refusals.note(call, refused(NO_IMAGES));
  expect(refusals.refusalOf({ ...call, pictures: undefined }) ?? refusals.refusalOf(call)).toBeUndefined();
});

test.each([
  'this model does not support image input (ref: b8bd630e)',
  'No endpoints found that support image input',
  'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
  "'messages.2.content' : value must be a string",
  'm is not a multimodal model',
  'At most 0 image(s) may be provided in one prompt.',
  'messages[3]: unknown variant `image_url`, expected `text`',
  'Only text tool_result blocks are supported when tool_result.content is an array.',
  'Invalid content type. image_url is only supported by certain models.',
  "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.",
  'this model is missing data required for image input',
  "Model 'x' doesn't support images",
  'Images are not supported in tool messages',
])('all images are refused by: %s', (reason) => {
  expect(saysTextOnly(reason)).toBe(true);
});

test.each([
  'image too large',
  'Could not process image',
  'This model does not support image format SVG',
  'This model does not support images larger than 5 MB',
  'does not support image URLs with redirects',
  'Unsupported image format: image/gif.',
  'The image does not match the provided media type image/png',
  'Animated images are not supported in this format',
  'At most 5 images may be provided in one prompt.',
  'You uploaded an unsupported image. Please make sure your image is valid.',
  'image exceeds 5 MB maximum',
  'invalid message format',
  'the picture is not a valid base64',
])('one image is refused by: %s', (reason) => {
  expect(saysTextOnly(reason)).toBe(false);
});
