import { createRoot } from 'react-dom/client';
import { copySource } from './copy/copy-source.ts';
import { messageOf } from './data/use-data.ts';
import { App } from './frame/app.tsx';
import { applyTheme } from './frame/theme-switch.tsx';

/** Draws the app over the files of a static copy. */
async function start(element: Element): Promise<void> {
  const root = createRoot(element);
  try {
    root.render(<App source={await copySource()} />);
  } catch (error) {
    root.render(<p className="notice error">{messageOf(error)}</p>);
  }
}

applyTheme();
const element = document.querySelector('#app');
if (element !== null) void start(element);
