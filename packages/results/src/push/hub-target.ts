import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HUB, hubAddress, isUnencrypted, shownAddress } from '@data-designer/config';
import { DataDesignerError } from '@data-designer/core';
import { type HubToken, readHubToken } from '@data-designer/seeds/hub';
import type { PushToHubOptions } from './push-options.ts';

/** A branch of a dataset on a Hub. */
export interface HubTarget {
  /** The address of the Hub, without a slash at its end. */
  readonly endpoint: URL;
  readonly repoId: string;
  readonly revision: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The Hub's rule for the names of owners and datasets. */
const NAME = /^(?!.*(?:--|\.\.))[A-Za-z0-9_](?:[\w.-]{0,94}[A-Za-z0-9_])?$/;
/** Names that git refuses for branches (git-check-ref-format). */
const NO_BRANCH = /[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(?:\/|$)|^@?$/u;

/** Checks the names and the address of a push; throws `hub/not-pushed`. */
export function readTarget(options: PushToHubOptions, environment: Environment): HubTarget {
  const { repoId, revision = 'main', endpoint = environment['HF_ENDPOINT'] || HUB } = options;
  const refuse = (reason: string, remedy: string) => notPushed({ repoId }, reason, remedy);
  const parts = repoId.split('/');
  if (parts.length !== 2 || !parts.every((part) => NAME.test(part)) || repoId.endsWith('.git')) {
    const remedy = "Use 'owner/name' of letters, digits, '-', '_' and '.'; a part has at most 96 characters.";
    throw refuse('this is not a name of a dataset', remedy);
  }
  if (NO_BRANCH.test(revision)) throw refuse(`'${revision}' is not a name of a branch`, 'Use another revision.');
  const address = hubAddress(endpoint);
  // The address may contain a password.
  if (!address) throw refuse('the address of the Hub is not a plain http(s) address', 'Correct HF_ENDPOINT.');
  if (isUnencrypted(address))
    throw refuse(`the token would be sent to ${address.origin} without encryption`, 'Use an https address.');
  return { endpoint: address, repoId, revision };
}

/** The page of the branch. */
export function pageOf({ endpoint, repoId, revision }: HubTarget): string {
  const page = `${shownAddress(endpoint.href).replace(/\/+$/, '')}/datasets/${repoId}`;
  return revision === 'main' ? page : `${page}/tree/${encodeURIComponent(revision)}`;
}

/** The error of a push that cannot begin or continue. */
export function notPushed(
  { repoId }: Pick<HubTarget, 'repoId'>,
  reason: string,
  remedy: string,
): DataDesignerError<'hub/not-pushed'> {
  return new DataDesignerError('hub/not-pushed', { dataset: repoId, reason, remedy });
}

/**
 * The token of a push: the given one, else the variable HF_TOKEN, else the login that the Hub's own tools store. Throws
 * `secret/missing` and `hub/unauthorized`.
 */
export async function readToken(written: string | undefined, repoId: string, environment: Environment) {
  const use = { dataset: repoId, owner: 'A push to the Hub' };
  const given = readHubToken(written ?? (environment['HF_TOKEN'] ? 'HF_TOKEN' : null), environment, use);
  const token = given ?? (await readLogin(repoId, environment));
  if (token) return token;
  throw new DataDesignerError('secret/missing', { name: 'HF_TOKEN', owner: use.owner });
}

/** The token that `hf auth login` stores, at the places that its documentation names. */
async function readLogin(repoId: string, environment: Environment): Promise<HubToken | undefined> {
  const cache = environment['XDG_CACHE_HOME'] || join(environment['HOME'] || homedir(), '.cache');
  const home = environment['HF_HOME'] || join(cache, 'huggingface');
  const path = environment['HF_TOKEN_PATH'] || join(home, 'token');
  const text = await readFile(path, 'utf8').catch(() => '');
  const token = readHubToken(text.trim() || null, {}, { dataset: repoId });
  return token && { ...token, shown: `the token in ${path}` };
}
