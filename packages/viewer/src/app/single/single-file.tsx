import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JSX } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { ICON } from '../icon.ts';
import { visibleText } from '../visible-text.ts';

interface PageParts {
  readonly title: string;
  /** Markup that React made. */
  readonly body: string;
  /** The only script that may run. */
  readonly script?: string;
  /** Default: the reader's system setting. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/** The build writes the style sheets next to the bundle. */
const STYLE = new URL('single-pages.css', import.meta.url);

/** A page in one file: its policy allows its own style and script, and pictures and sounds in it, but no requests. */
export function singleFile({ title, body, script, theme }: PageParts): string {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    ...(script === undefined ? [] : [`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`]),
  ];
  const head = markup(
    <>
      <meta charSet="utf-8" />
      <meta httpEquiv="Content-Security-Policy" content={policy.join('; ')} />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href={ICON} />
      <title>{visibleText(title)}</title>
      <style>{readFileSync(STYLE, 'utf8')}</style>
    </>,
  );
  const last = script === undefined ? '' : `\n${markup(<script>{script}</script>)}`;
  const shown = theme === undefined ? '' : ` data-theme="${theme}"`;
  return `<!doctype html>\n<html lang="en"${shown}>\n<head>\n${head}\n</head>\n<body>\n${body}${last}\n</body>\n</html>\n`;
}

/** Elements as markup; React escapes every text. */
export function markup(element: JSX.Element): string {
  return renderToStaticMarkup(element);
}
