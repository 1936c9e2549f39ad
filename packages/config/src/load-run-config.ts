import type { Violation } from '@data-designer/core';
import { loadDocument, unreadable } from './load-document.ts';
import { ONCE } from './read-form.ts';
import { runConfig, type RunConfig, SETTINGS_WITHOUT_EFFECT } from './schemas/run-config.ts';
import { isMapping, snakeCase } from './spelling.ts';
import { type Spelling } from './document-path.ts';
import { parseForm } from './violations.ts';

/** Reads run settings from a YAML or JSON file with one mapping; throws `config/unreadable` or `config/invalid`. */
export function loadRunConfig(path: string): RunConfig {
  const document = loadDocument(path);
  if (!isMapping(document)) throw unreadable(path, 'it is not a mapping');
  return parseRunConfig(document, path);
}

/** Parses settings in either spelling and fills in defaults; throws `config/invalid`, its keys in the given spelling. */
export function parseRunConfig(settings: unknown, source: string, spelling?: Spelling): RunConfig {
  return parseForm(runConfig, settings, { source, spelling });
}

/** A warning for each setting that was changed and has no effect in this version. */
export function settingsWithoutEffect(settings: RunConfig): Violation[] {
  const defaults = runConfig.parse({}, ONCE);
  return SETTINGS_WITHOUT_EFFECT.filter((key) => settings[key] !== defaults[key]).map((key) => ({
    stage: 'run',
    type: 'setting_without_effect',
    level: 'WARNING',
    path: `run_config.${snakeCase(key)}`,
    message: 'this setting has no effect in this version.',
    remedy: 'Remove it.',
  }));
}
