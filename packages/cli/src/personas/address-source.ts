import { PERSONA_LOCALES, type PersonaLocale } from '@data-designer/columns/personas';
import { shownAddress } from '@data-designer/config';
import { type PersonaSource, wantedPersonas } from './persona-source.ts';

/** The files `<address>/<locale>.parquet` of a web server, with `.sha256` files beside them if it has any. */
export function addressSource(address: string, { allowPrivate }: { readonly allowPrivate: boolean }): PersonaSource {
  return {
    name: shownAddress(address),
    locales: PERSONA_LOCALES,
    refuseUnusable: () => Promise.resolve(),
    check: () => Promise.resolve(undefined),
    install: async (locale, { folder, signal, onBytes }) => {
      const { downloadedSum, downloadOf, installCollection, refusing } = await import('@data-designer/seeds');
      const url = fileAddress(address, locale);
      const options = { allowPrivate, signal, onBytes };
      const wanted = wantedPersonas(locale, folder);
      return refusing(wanted, async () => {
        const sha256 = await downloadedSum(url, options);
        const source = { name: shownAddress(url.href), fill: downloadOf(url, options), sha256 };
        return installCollection(wanted, source, signal);
      });
    },
  };
}

/** The address of a locale's file; the query of the address stays, since it may hold a signature. */
function fileAddress(address: string, locale: PersonaLocale): URL {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${locale}.parquet`;
  return url;
}
