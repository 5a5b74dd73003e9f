import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { argumentsOf, compileMessage } from '../../../src/pages/messages/compile-message.ts';
import { createMessageFiles, type MessagePart } from '../../../src/pages/messages/message-files.ts';
import { readMessages } from '../../../src/pages/messages/read-messages.ts';
import { preferredOf } from '../../../src/pages/preferred.ts';

import { english, german, textsOf } from '../../support/languages.ts';
import { createTemporaryFolder, root } from '../../support/process.ts';

const source = (path: string): string => readFileSync(join(root, path), 'utf8');
const texts = { en: textsOf('en'), de: textsOf('de') };

/** The ids in a module of the pages; one that is made of a part is a pattern. */
const idsIn = (code: string): RegExp[] =>
  [...code.matchAll(/['`]((?:[a-z]+(?:-[a-z]+)*)\.(?:\$\{[^`]*?\}|[\w.-])+)['`]/g)]
    .map(([, id = '']) => id)
    .filter((id) => Object.keys(texts.en).some((each) => each.startsWith(`${id.split('.')[0]}.`)))
    .map((id) => new RegExp(`^${id.replaceAll('.', '\\.').replaceAll(/\$\{[^}]*\}/g, '.+')}$`));

/** What a module imports, and the parts of the texts that it waits for before that. */
function importsIn(path: string): { readonly to: string; readonly parts: readonly MessagePart[] }[] {
  const code = source(path);
  const direct = /^(?:import|export) (?!type)[^;]*? from '(\.[^']+\.tsx?)'/gms;
  const later = /later\([^;]*?import\('([^']+)'\)\)\.\w+((?:,\s*'[a-z]+')*),?\s*\)/gs;
  return [...code.matchAll(direct), ...code.matchAll(later)].map(([, to = '', more = '']) => ({
    to: join(dirname(path), to),
    parts: [...more.matchAll(/'([a-z]+)'/g)].map(([, part]) => part as MessagePart),
  }));
}

describe('the texts', () => {
  it('are in English and German, with the same arguments', () => {
    expect(Object.keys(texts.de)).toEqual(Object.keys(texts.en));
    const argumentsIn = (language: 'en' | 'de') =>
      Object.entries(texts[language]).map(([id, text]) => [
        id,
        Object.fromEntries(
          [...argumentsOf(compileMessage(text))].toSorted(([one], [other]) => (one < other ? -1 : 1)),
        ),
      ]);
    expect(argumentsIn('de')).toEqual(argumentsIn('en'));
  });

  it('are all used', () => {
    const code = globSync('web/**/*.{ts,tsx}', { cwd: root })
      .filter((path) => !path.includes('generated'))
      .map(source);
    const used = code.flatMap(idsIn);
    const unused = Object.keys(texts.en).filter(
      (id) => !id.startsWith('said.') && !used.some((pattern) => pattern.test(id)),
    );
    expect(unused).toEqual([]);
  });

  it('of what the API says are what it says', () => {
    const code = globSync('src/**/*.ts', { cwd: root }).map(source).join('\n').toLowerCase();
    const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\/]/g, String.raw`\$&`);
    const missing = Object.keys(texts.en)
      .filter((id) => id.startsWith('said.'))
      .filter((id) => {
        const words = escaped(id.slice('said.'.length).replace(/\.$/, '').toLowerCase());
        // A number stands there, or what gives it, with its unit or with all parts of a date.
        const pattern = words.replaceAll(
          /\{\d+\}(?:[-t:z]|\\\.)*(?:\{\d+\}(?:[-t:z]|\\\.)*)*(?: seconds)?/g,
          '(?:\\d+[\\d./a-z-]*|[^\n]*?)',
        );
        return !new RegExp(pattern).test(code);
      });
    expect(missing).toEqual([]);
  });

  it('write a sentence of the API in German, with its numbers, and leave an unknown one as it is', () => {
    expect(german.said('You may have at most 1000 active API keys: deactivate one first.')).toBe(
      'Sie dürfen höchstens 1000 aktive API-Schlüssel haben: Deaktivieren Sie zuerst einen.',
    );
    expect(german.said('Must be an IP address or a range, such as 192.0.2.0/24.')).toContain(
      'etwa 192.0.2.0/24.',
    );
    expect(german.said('__proto__')).toBe('__proto__');
    expect(english.said('API key is paused.')).toBe('API key is paused.');
  });

  it('of a part are there for all code that is loaded with it', () => {
    const parts: Record<MessagePart, RegExp> = {
      main: /^(?:automation|common|console|keys|private-key|sign-in)\./,
      key: /^(?:activity|key|usage)\./,
      operate: /^operate\./,
      said: /^said\./,
    };
    const strange: string[] = [];
    const seen = new Set<string>();
    const check = (path: string, given: readonly MessagePart[]) => {
      // It finds each id.
      if (path === 'web/messages/language.ts') return;
      const patterns = idsIn(source(path));
      const used = Object.keys(texts.en).filter((id) => patterns.some((pattern) => pattern.test(id)));
      const lacked = used.filter((id) => !given.some((part) => parts[part].test(id)));
      strange.push(...lacked.map((id) => `${path}: ${id}`));
    };
    const visit = (path: string, given: readonly MessagePart[]) => {
      const name = `${path} ${given.join()}`;
      if (seen.has(name)) return;
      seen.add(name);
      check(path, given);
      for (const { to, parts: more } of importsIn(path)) visit(to, [...given, ...more]);
    };
    visit('web/console/app.tsx', ['main']);
    visit('web/console/console.tsx', ['main']);
    visit('web/elements/keys.tsx', ['main']);
    expect(strange).toEqual([]);
    expect([...seen]).toEqual(
      expect.arrayContaining([
        'web/console/operate/operate-view.tsx main,operate,key',
        'web/console/key/key-page.tsx main,key',
        'web/console/usage/usage-chart.tsx main,key',
      ]),
    );
  });
});

describe('numbers and times', () => {
  it('are written as people write them there', () => {
    expect(english.number(1_234_567)).toBe('1,234,567');
    expect(german.number(1_234_567)).toBe('1.234.567');
    expect(german.duration(5_400)).toBe('1 Stunde 30 Minuten');
    const now = new Date(2026, 10, 21, 12);
    expect(german.relative(new Date(2026, 10, 24, 12), now)).toBe('in 3 Tagen');
    expect(german.dayOf(new Date(2026, 10, 20, 9), now)).toBe('Gestern');
    expect(german.date(now)).toBe('21.11.2026');
    expect(['Zoe', 'Äpfel', 'key 10', 'key 9'].toSorted(german.compare)).toEqual([
      'Äpfel',
      'key 9',
      'key 10',
      'Zoe',
    ]);
  });
});

describe('PROVIDER_MESSAGES', () => {
  async function readWith(files: Readonly<Record<string, string>>, consoleLocales: readonly string[] = []) {
    await using folder = await createTemporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder.path, name), text);
    return readMessages({ providerMessages: folder.path, consoleLocales });
  }
  const contentOf = async (
    messages: Awaited<ReturnType<typeof readWith>>,
    tag: string,
    part: MessagePart = 'main',
  ) =>
    JSON.parse(`${(await createMessageFiles(messages, false)(tag, part)).content}`) as {
      language: string;
      messages: Record<string, unknown>;
    };

  it('replaces texts, adds languages, and what a file lacks comes from a more general one, or is in English', async () => {
    const messages = await readWith({
      'en.json': '{"keys.title": "Access keys"}',
      'de-AT.json': '{"keys.title": "Zugangsschlüssel"}',
      'fr.json': '{"keys.title": "Clés d’API", "keys.count": "{count, plural, one {# clé} other {# clés}}"}',
      'readme.txt': 'not for Keyward',
    });
    const english = await contentOf(messages, 'en-GB');
    expect(english).toMatchObject({
      language: 'en',
      messages: { 'keys.title': 'Access keys', 'keys.create': 'Create API key' },
    });
    expect(await contentOf(messages, 'de')).toMatchObject({
      language: 'de',
      messages: { 'keys.title': 'API-Schlüssel' },
    });
    expect(await contentOf(messages, 'de-AT')).toMatchObject({
      language: 'de-AT',
      messages: { 'keys.title': 'Zugangsschlüssel', 'keys.create': 'API-Schlüssel erstellen' },
    });
    expect(await contentOf(messages, 'de-CH')).toMatchObject({ language: 'de' });
    expect(await contentOf(messages, 'fr-CA')).toMatchObject({
      language: 'fr',
      messages: { 'keys.title': 'Clés d’API', 'keys.create': 'Create API key' },
    });
    expect(await contentOf(messages, 'tlh')).toEqual(english);
    expect(Object.keys((await contentOf(messages, 'en', 'said')).messages)).toEqual([]);
  });

  it.each([
    [{ 'de.json': '{' }, 'de.json is no JSON'],
    [{ 'de.json': '[]' }, 'de.json is no object with texts alone'],
    [{ 'de.json': '{"keys.title": 1}' }, 'de.json is no object with texts alone'],
    [{ 'de.json': '{"keys.titel": "x"}' }, 'de.json has no text to replace: "keys.titel"'],
    [{ 'de.json': '{"toString": "x"}' }, 'de.json has no text to replace: "toString"'],
    [
      { 'de.json': '{"keys.count": "{count, plural, one {#}}"}' },
      'de.json has a text that is no ICU message: "keys.count"',
    ],
    [{ 'de.json': '{"keys.count": "{number}"}' }, '"keys.count" has no such text "number"'],
    [{ 'de.json': '{"keys.title": "<a>x</a>"}' }, '"keys.title" has no such tag "a"'],
    [{ 'de.json': '{"keys.count": "{count, date}"}' }, '"keys.count" has no such date "count"'],
    [{ 'de.json': '{"keys.title": "{at, time, short}"}' }, '"keys.title" has no such date "at"'],
    [{ 'de.json': '{"keys.count": "{count, number, currency}"}' }, '"keys.count" has no such format "count"'],
    [
      { 'de.json': '{"keys.count": "{count, number, ::unit/foo}"}' },
      '"keys.count" has no such format "count"',
    ],
    [{ 'German.json': '{}' }, 'has a file whose name is no language: German.json'],
    [{ 'de_AT.json': '{}' }, 'has a file whose name is no language: de_AT.json'],
    [{ 'de-at.json': '{}' }, 'has a file whose name is no language: de-at.json'],
    [{ 'de.json': `{"keys.title": "${'x'.repeat(600_000)}"}` }, 'de.json has more than'],
  ])('%# is refused', async (files, fault) => {
    await expect(readWith(files as Record<string, string>)).rejects.toThrow(fault);
  });

  it.each([
    ['{count, number, ::unit/foo} {count, plural, other {#}}', 'format "count"'],
    ['{count, plural, other {#}} {count, number, ::unit/foo}', 'format "count"'],
    ['{count, date} {count, number}', 'date "count"'],
    ['{count, plural, other {{count, time}}}', 'date "count"'],
    ['{count} <count>x</count>', 'tag "count"'],
    ['<count>x</count> {count, plural, other {#}}', 'tag "count"'],
    ['{count, plural, other {<b>#</b>}} {count}', 'tag "b"'],
  ])('refuses what one use of an argument needs, whatever the others need: %s', async (text, fault) => {
    const files = { 'de.json': JSON.stringify({ 'keys.count': text }) };
    await expect(readWith(files)).rejects.toThrow(`"keys.count" has no such ${fault}`);
  });

  it('has texts for each language of the console, or else Keyward does not start', async () => {
    const french = { 'fr.json': '{"keys.title": "Clés d’API"}' };
    await expect(readWith(french, ['en-GB', 'de-CH', 'fr-CA'])).resolves.toBeInstanceOf(Map);
    await expect(readWith(french, ['fr', 'es-MX', 'en'])).rejects.toThrow(
      'CONSOLE_LOCALES names a language that has no texts: es-MX. Add them to PROVIDER_MESSAGES as es.json',
    );
  });

  it('takes the file that is documented', async () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(source('docs/pages.md')) ?? [];
    const messages = await readWith({ 'de-AT.json': example });
    expect((await contentOf(messages, 'de-AT')).messages).toMatchObject({ 'keys.title': 'Zugangsschlüssel' });
  });

  it('a folder that is not there is refused', () => {
    expect(() => readMessages({ providerMessages: '/nowhere' })).toThrow(
      'PROVIDER_MESSAGES names a folder that cannot be read (ENOENT)',
    );
  });
});

describe('the language of the console', () => {
  it.each([
    ['de', 'de-DE'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de-DE'],
    ['de-CH', 'de-DE'],
    ['fr,pt-BR;q=0.9', 'pt-BR'],
    ['pt', 'pt-BR'],
    ['en-US,en;q=0.9,de;q=0.8', 'en-GB'],
    ['en-US', 'en-GB'],
    ['de;q=0,en', 'en-GB'],
    ['tlh', 'en-GB'],
    ['*', 'en-GB'],
    ['', 'en-GB'],
    [undefined, 'en-GB'],
    [`${'x,'.repeat(8_000)}de`, 'en-GB'],
  ])('is what the browser prefers: %s', (header, locale) => {
    const headers = header === undefined ? {} : { 'accept-language': header };
    expect(preferredOf(['en-GB', 'de-DE', 'pt-BR'])(headers)).toBe(locale);
  });

  it('is the only one, if there are no more', () => {
    expect(preferredOf(['en-GB'])({ 'accept-language': 'de' })).toBe('en-GB');
  });
});
