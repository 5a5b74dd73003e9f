import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';

hljs.registerLanguage('curl', bash);
hljs.registerLanguage('go', go);
hljs.registerLanguage('json', json);
hljs.registerLanguage('python', python);
hljs.registerLanguage('typescript', typescript);

/** The classes that the page has a colour for. All others would only make the page heavier. */
const kept: Readonly<Record<string, string>> = { string: 's', attr: 'p', keyword: 'k' };

const tags = /<span class="hljs-(\w+)[^"]*">|<\/span>/g;

/**
 * Marks the strings, names and keywords of code. Why highlight.js: its output is 1 kB for all samples once compressed,
 * and it needs no styles in the page. Shiki marks each token, which doubles the elements.
 */
export function highlight(code: string, language: string): string {
  const open: boolean[] = [];
  return hljs
    .highlight(code, { language })
    .value.replace(tags, (_, scope: string | undefined) => {
      if (scope === undefined) return open.pop() ? '</span>' : '';
      const name = kept[scope];
      open.push(name !== undefined);
      return name ? `<span class="${name}">` : '';
    })
    .replaceAll('&quot;', '"')
    .replaceAll('&#x27;', "'");
}
