import type { Random } from '@data-designer/core';
import type { Language } from '@data-designer/trajectory';

/** One item, drawn. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item;
}

const SUBJECTS = [
  'The order',
  'Your booking',
  'The invoice',
  'This parcel',
  'The second ticket',
  'The account',
  'Our team',
  'The warehouse in Hull',
  'The driver',
];
const VERBS = [
  'was moved to',
  'belongs to',
  'is waiting for',
  'has been checked against',
  'does not depend on',
  'will be joined with',
  'was sent before',
];
const OBJECTS = [
  'the list of last week',
  'a shipment from Oslo',
  'the report of the night shift',
  'your contract',
  'the other address',
  'two parts that are out of stock',
  'the price of 20 euros',
];
const ADDITIONS = [
  '',
  ', as you asked',
  ' since Monday',
  ', which is the usual way',
  ' (see the note below)',
  ' and can be changed until noon',
  '; nothing else is open',
];

/** Sentences of the languages other than English. */
const SENTENCES: Partial<Record<Language, readonly string[]>> = {
  de: [
    'Die Bestellung ist auf dem Weg zu Ihnen und kommt morgen an.',
    'Ich habe die Adresse für Sie geändert, wie Sie es wollten.',
    'Das Paket liegt noch im Lager, weil ein Teil nicht da ist.',
    'Sie können den Termin bis zum Abend mit einem Klick ändern.',
    'Der Preis von 20 Euro ist nicht mehr gültig.',
    'Möchten Sie, dass ich auch die Rechnung noch einmal prüfe?',
  ],
  fr: [
    'La commande est en route et elle arrive demain dans la matinée.',
    "Nous avons changé l'adresse pour vous, comme vous le souhaitez.",
    'Le colis est dans le dépôt, une pièce ne se trouve pas sur place.',
    'Vous pouvez changer le rendez-vous avec un clic sur cette page.',
    "Le prix de 20 euros n'est plus valable pour ce produit.",
    'Voulez-vous que je vérifie votre facture avec le service ?',
  ],
  es: [
    'El pedido está en camino y llega mañana por la mañana.',
    'He cambiado la dirección para usted, como me ha pedido.',
    'El paquete no ha salido del almacén, porque falta una pieza.',
    'Puede cambiar la cita con un clic en esta página.',
    'El precio de 20 euros ya no es válido para los productos.',
    '¿Quiere que compruebe también la factura de su cuenta?',
  ],
  ru: [
    'Заказ уже в пути, и вы получите его завтра утром.',
    'Мы изменили адрес, как вы просили вчера вечером.',
    'Посылка ещё на складе, потому что одной детали нет.',
  ],
  ja: ['ご注文の品は明日の朝に届きます。', '住所はご希望のとおりに変更しました。', '荷物はまだ倉庫にあります。'],
  zh: ['您的订单明天早上送到，请注意查收。', '我们已经按照您的要求修改了地址。', '包裹还在仓库里，因为缺少一个零件。'],
};

/** The languages of sentences. */
export const SENTENCE_LANGUAGES = ['en', ...Object.keys(SENTENCES)] as readonly Language[];

/** A sentence that a service desk could write. */
export function sentence(random: Random, language: Language): string {
  const list = SENTENCES[language];
  if (list) return pick(random, list);
  const subject = pick(random, SUBJECTS);
  return `${subject} ${pick(random, VERBS)} ${pick(random, OBJECTS)}${pick(random, ADDITIONS)}.`;
}

/** Several different sentences. */
export function sentences(random: Random, language: Language, count: number): string {
  const found = new Set<string>();
  for (let tries = 0; found.size < count && tries < 4 * count; tries++) found.add(sentence(random, language));
  return [...found].join(' ');
}
