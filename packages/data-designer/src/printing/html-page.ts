import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.ts';

/** The parts of a page; all but the title are inserted as HTML, CSS or JavaScript. */
interface PageParts {
  /** Untrusted text. */
  readonly title: string;
  readonly style: string;
  readonly body: string;
  /** The only script that may run. */
  readonly script?: string;
  /** Default: the reader's system setting. */
  readonly theme?: 'dark' | 'light' | undefined;
}

/** A self-contained page: its policy allows its own style and script and inline images, and no requests. */
export function htmlPage({ title, style, body, script, theme }: PageParts): string {
  const hash = script === undefined ? '' : createHash('sha256').update(script).digest('base64');
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    ...(hash === '' ? [] : [`script-src 'sha256-${hash}'`]),
  ];
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join('; ')}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
${body}${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
}
