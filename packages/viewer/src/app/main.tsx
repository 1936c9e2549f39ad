import { createRoot } from 'react-dom/client';
import { takeToken } from './address.ts';
import { sendToken, serverSource } from './data/server-source.ts';
import { messageOf } from './data/use-data.ts';
import { App } from './frame/app.tsx';
import { applyTheme } from './frame/theme-switch.tsx';

/** Exchanges the token of the address for a cookie and removes it from the address, then draws the app. */
async function start(element: Element): Promise<void> {
  const root = createRoot(element);
  const given = takeToken(location.hash);
  if (given !== undefined) {
    try {
      await sendToken(given.token);
    } catch (error) {
      root.render(<p className="notice error">{messageOf(error)}</p>);
      return;
    }
    history.replaceState(null, '', given.rest);
  }
  root.render(<App source={serverSource()} />);
}

applyTheme();
const element = document.querySelector('#app');
if (element !== null) void start(element);
