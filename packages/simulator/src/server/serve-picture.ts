import type { ServerResponse } from 'node:http';
import { Draws } from '../draws.ts';
import { drawPicture } from '../pictures/draw-picture.ts';

const PATH = /^\/pictures\/([\da-f]{64})-(\d)\.png$/;

/** Serves a picture that an answer has pointed to; false if the path is that of none. */
export function servePicture(path: string, response: ServerResponse, seed: number): boolean {
  const [, hash, number] = PATH.exec(path) ?? [];
  if (hash === undefined) return false;
  const png = Buffer.from(drawPicture(Draws.ofRequest(seed, hash), Number(number)), 'base64');
  response.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': png.length }).end(png);
  return true;
}
