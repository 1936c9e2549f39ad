import { expect, test } from 'vitest';
import { isUndecodable, textDecoderOf } from './text-codec.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

test.each([
  ['utf-8', bytes(0xc3, 0xa9), 'é'],
  ['U8', bytes(0xc3, 0xa9), 'é'],
  ['utf-8', bytes(0xef, 0xbb, 0xbf, 0x61), '\uFEFFa'],
  ['utf_8_sig', bytes(0xef, 0xbb, 0xbf, 0x61), 'a'],
  ['latin-1', bytes(0xe9, 0x80), 'é\u0080'],
  ['ISO-8859-1', bytes(0x80), '\u0080'],
  ['cp1252', bytes(0x80), '€'],
  ['iso8859-15', bytes(0xa4), '€'],
  ['ascii', bytes(0x41), 'A'],
  ['utf-16', bytes(0xff, 0xfe, 0x41, 0), 'A'],
  ['utf-16', bytes(0xfe, 0xff, 0, 0x41), 'A'],
  ['UTF-16', bytes(0x41, 0), 'A'],
  ['utf_16_be', bytes(0, 0x41), 'A'],
  ['koi8_r', bytes(0xc1), 'а'],
  ['mac_roman', bytes(0x8e), 'é'],
  ['cp936', bytes(0xc4, 0xe3), '你'],
  ['euc_kr', bytes(0xb0, 0xa1), '가'],
  ['ms_kanji', bytes(0x82, 0xa0), 'あ'],
  ['x-sjis', bytes(0x82, 0xa0), 'あ'],
  ['iso_646.irv_1991', bytes(0x41), 'A'],
])('%s is decoded', (name, given, text) => {
  expect(textDecoderOf(name)?.(given)).toBe(text);
});

test.each([
  ['utf-8', bytes(0xff)],
  ['ascii', bytes(0x41, 0x80)],
  ['utf-16', bytes(0x41)],
  ['shift_jis', bytes(0x82)],
])('the decoder of %s rejects invalid bytes', (name, given) => {
  expect(() => textDecoderOf(name)?.(given)).toThrow(TypeError);
});

test.each(['klingon', '', ' ', '../utf_8', 'utf-32-xe'])('%o is not an encoding', (name) => {
  expect([textDecoderOf(name), isUndecodable(name)]).toEqual([undefined, false]);
});

test.each(['cp437', 'utf-32', 'UTF_7', 'rot13', 'hex', 'shift-jis-2004', 'csHPRoman8'])(
  '%s is known but cannot be decoded',
  (name) => {
    expect([textDecoderOf(name), isUndecodable(name)]).toEqual([undefined, true]);
  },
);
