import { expect, test } from 'vitest';
import { documentAddress, namesDocument, namesJson } from './document-address.ts';

test.each([
  ['https://github.com/acme/sets/blob/main/a/b.yaml', 'https://raw.githubusercontent.com/acme/sets/main/a/b.yaml'],
  ['http://www.github.com/acme/sets/blob/v1/b.yml?plain=1#L3', 'https://raw.githubusercontent.com/acme/sets/v1/b.yml'],
  [
    'https://github.com/acme/blob/blob/blob/blob/b.yaml',
    'https://raw.githubusercontent.com/acme/blob/blob/blob/b.yaml',
  ],
  ['https://github.com/acme/sets/blob/main/a%20b.json', 'https://raw.githubusercontent.com/acme/sets/main/a%20b.json'],
  ['https://huggingface.co/acme/quill/blob/main/b.yaml', 'https://huggingface.co/acme/quill/raw/main/b.yaml'],
  ['https://hf.co/quill/blob/main/b.yaml', 'https://huggingface.co/quill/raw/main/b.yaml'],
  [
    'https://huggingface.co/datasets/acme/tides/blob/main/x/b.yaml',
    'https://huggingface.co/datasets/acme/tides/raw/main/x/b.yaml',
  ],
  ['https://huggingface.co/datasets/tides/blob/main/b.yaml', 'https://huggingface.co/datasets/tides/raw/main/b.yaml'],
  ['https://huggingface.co/spaces/acme/den/blob/main/b.json', 'https://huggingface.co/spaces/acme/den/raw/main/b.json'],
  ['https://huggingface.co/acme/quill/blob/main/blob/b.yaml', 'https://huggingface.co/acme/quill/raw/main/blob/b.yaml'],
])('documentAddress turns the page %s into the file %s', (page, file) => {
  expect(documentAddress(new URL(page)).href).toBe(file);
});

test.each([
  'https://raw.githubusercontent.com/acme/sets/main/blob/b.yaml',
  'https://github.com/acme/sets/raw/main/b.yaml',
  'https://github.com.example.org/acme/sets/blob/main/b.yaml',
  'https://gist.github.com/acme/blob/blob/b.yaml',
  'https://huggingface.co/acme/quill/resolve/main/b.yaml',
  'https://huggingface.co/datasets/acme/tides/raw/main/blob/b.yaml?download=true',
  'https://example.org/acme/sets/blob/main/b.yaml',
])('%s stays unchanged', (address) => {
  expect(documentAddress(new URL(address)).href).toBe(address);
});

const named = (path: string): boolean => namesDocument(new URL(path, 'https://example.org'));

test('the suffix of the path, not the query, decides whether an address names a document', () => {
  expect(['/a.yaml', '/a.yml', '/a.JSON', '/a.yaml?b=c', '/.yaml'].every(named)).toBe(true);
  expect(['/', '/a', '/a.yaml/', '/a.yaml.exe', '/a?b=.yaml', '/a#.yaml', '/ayaml'].some(named)).toBe(false);
  expect(namesJson(new URL('https://example.org/a.JSON?b=.yaml'))).toBe(true);
  expect(namesJson(new URL('https://example.org/a.yaml?b=.json'))).toBe(false);
});
