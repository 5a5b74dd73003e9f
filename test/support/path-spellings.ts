const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What may stand between two segments of a path, so that some application takes it for a slash. */
const separators = words(String.raw`
  / // /./ /.;/ /;/ /;a=b/ /%3b/ /x/../ /x/..;/ /x/..%3b/ /x/%2e%2E/ /x/.%2e/ /%2e/ /x//../ /x/../../ /x;/../
  \ /\ %2f %2F %5c /%5C %252f %00/ /%00/ %c0%af %e0%80%af %ef%bc%8f %u2215
  /x\..\ /x/..%2f /x%2f..%2f /x%5c..%5c
  /%zz/../ /%/../ /%2/../ /%zz/..%2f /x?/../ /x#/../ /x%3f/../ /x%23/../ /%0a/../`);

/** What may stand before a path. */
const beginnings = words(String.raw`
  /x //x //x.example:80 /// /\x \ x: /x/.. /%2e%2e /.%2F.. /; /%3b /..; %2f % /%zz/.. /%zz * ? #
  http://HOST HTTP://HOST http://HOST/ http://HOST/x/.. http://HOST?x http://HOST?x/.. http://x.example http://x@HOST
  http: http:/`);

/** How the name of the first segment may be spelled, with what may stand right behind it. */
const names = words(`
  documents DOCUMENTS dOcuments %64ocuments %44ocuments %64%6F%63%75%6d%65%6e%74%73 %2564ocuments
  documents; documents;v=1 documents%3B documents. documents.json documents%2e documents%20 documents: documents&x
  documents%00 documents%00x docu%00ments %00documents documents%0a documents%09 documents%3fx documents%23x documents#x
  documents% documents%zz documents| documents" documents%7f documents%E2%80%8B documentsé
  document%C5%BF %ef%bd%84ocuments`);

/** What may follow the path of a document. */
const ends = words(String.raw`
  / /. /.. /../5 /%2e%2e /..; /..? /..# /..%3f %2f..%2f.. %2f.. %2F \..\.. %5c.. //
  % %5 %zz %00 %0a %20 ;x ;x/.. # #/.. ? ?x=/../ ?//x | " %FF %c0%ae%c0%ae
  /x/../.. /../../documents /../x /..%2fx /.; /;`);

/**
 * Targets that some application may take for `/documents` or for what is below it. `HOST` stands for the host that is
 * asked.
 */
export const guardedSpellings: readonly string[] = [
  ...new Set([
    ...['', ...beginnings].flatMap((beginning) => [`${beginning}/documents`, `${beginning}/documents/5`]),
    ...beginnings.map((beginning) => `${beginning}documents/5`),
    ...separators.flatMap((separator) => [`${separator}documents/5`, `/documents${separator}5`]),
    ...separators.map((separator) => `/x${separator}documents/5`),
    ...names.flatMap((name) => [`/${name}`, `/${name}/5`]),
    ...ends.flatMap((end) => [`/documents${end}`, `/documents/5${end}`]),
    // Two at once.
    ...separators.flatMap((separator) => ends.slice(0, 15).map((end) => `/documents${separator}5${end}`)),
  ]),
];

/** What ordinary paths have in their segments, and behind them. */
const ordinaryEnds = words(String.raw`
  / /a /a/ /caf%C3%A9 /%E6%97%A5%E6%9C%AC /%F0%9F%8E%89 /a%20b /a+b /a:b /@me /a,b /a;b=c /a;b=c/d /(a) /~user /a=b&c
  /a!b$c'd*e /.a /..a /a.. /... /a.b.c /a%2Eb /100%25 /a%3Fb /a%23b /a%3Bb /a%40b /a%7Cb /a|b /[a] /%5Ba%5D /a^b
  /%22a%22 /a%26b /a--b_c /a%252Fb /%C3%A9%2Ca
  ? ?q=a//b ?next=/../x ?q=%2f%5c%00 ?q=\ ?url=http://x//y/./z;v ?q=%zz ?? ?q=/./ ?q=..%2f.. ?a=b&a=c+d%20e /a?q=//`);

/** Targets of the guarded path that nobody can take for anything else. */
export const ordinaryGuarded = ['/documents', ...ordinaryEnds.map((end) => `/documents${end}`)];

/** Targets of other paths that nobody can take for anything else. */
export const ordinaryUnguarded = [
  ...words(
    '/ /documents-archive/5 /documents_old /documents2/5 /v1/documents/5 /document/5 /.well-known/documents',
  ),
  ...ordinaryEnds.map((end) => `/v1${end}`),
  `/v1/${'a/'.repeat(500)}`,
];
