import type { Random } from '@data-designer/core';
import type { Corpus, CorpusFile } from './config-corpus.ts';
import type { FuzzCase } from './fuzz-target.ts';
import { byteMutations } from './mutations/byte-mutations.ts';
import { type Mutation, pick } from './mutations/mutation.ts';
import { printFlow, printJson } from './mutations/print-tree.ts';
import { isSmall } from './mutations/tree.ts';
import { valueMutations } from './mutations/value-mutations.ts';
import { yamlMutations } from './mutations/yaml-mutations.ts';

/** More than this many characters is not worth the time: a mutation of mutations may double a text each time. */
const MAX_LENGTH = 200_000;

/** A file of a corpus, spoilt in one to four ways: in its bytes, in its YAML, or in what it says. */
export function mutateConfig({ files, sound }: Corpus, random: Random): FuzzCase {
  const file = pick(random.float() < 0.7 ? sound : files, random);
  const other = pick(files, random);
  const kind = random.float();
  if (kind < 0.2) return spoilText(file, byteMutations, { random, other });
  if (kind < 0.4) return spoilText(file, yamlMutations, { random, other });
  const valued = spoilTree(file, { random, other });
  if (random.float() < 0.9) return valued;
  const { story, text } = spoilText(valued, [...byteMutations, ...yamlMutations], { random, other });
  return { ...valued, text, story: [...valued.story, ...story.slice(1)] };
}

interface Sources {
  readonly random: Random;
  readonly other: CorpusFile;
}

/** Something done one to four times, most often once: what is spoilt much is refused early. */
function several<Whole>(mutations: readonly Mutation<Whole>[], random: Random): readonly Mutation<Whole>[] {
  return Array.from({ length: pick([1, 1, 1, 1, 2, 2, 3, 4], random) }, () => pick(mutations, random));
}

function spoilText(
  { text, json, path }: Pick<CorpusFile, 'text' | 'json'> & { readonly path?: string },
  mutations: readonly Mutation<string>[],
  { random, other }: Sources,
): FuzzCase {
  const chosen = several(mutations, random);
  const spoilt = chosen.reduce((whole, { apply }) => apply(whole, { random, other: other.text }), text);
  return { text: spoilt.slice(0, MAX_LENGTH), json, story: [path ?? '', ...chosen.map(({ name }) => name)] };
}

function spoilTree({ tree, path }: CorpusFile, { random, other }: Sources): FuzzCase {
  const chosen = several(valueMutations, random);
  const spoilt = chosen.reduce((whole, { apply }) => {
    const next = apply(whole, { random, other: other.tree });
    return isSmall(next, MAX_LENGTH) ? next : whole;
  }, tree);
  const json = random.float() < 0.3;
  const text = (json ? printJson(spoilt) : printFlow(spoilt)).slice(0, MAX_LENGTH);
  return { text, json, story: [path, ...chosen.map(({ name }) => name)] };
}
