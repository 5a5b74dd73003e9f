/** The door for proxies, and what some server may take for it. */
export const spelledDoors = () => {
  const door = '/api/v1/keys/authorize';
  const slashes = [
    '//',
    '/./',
    '/x/../',
    '%2f',
    '\\',
    '%5c',
    '/%2e/',
    '/x%2f..%2f',
    '/x\\..\\',
    ';/',
    '/;/',
    '%00/',
  ];
  const spelled = slashes.flatMap((slash) =>
    [0, 4, 7, 12].map((at) => door.slice(0, at) + slash + door.slice(at + 1)),
  );
  const ends = [
    '',
    '/',
    '/x',
    '?x',
    '%2f',
    ';x',
    '/..',
    '/..%2fself',
    '/%2e%2e%2Fself',
    '/..%5cself',
    '%2f..%2fself',
    '/../authorize',
    '%2f..%2f..',
    '#',
    '%20',
    '%00',
    '\\',
  ];
  const names = ['/api/v1/keys/%61uthorize', '/API/V1/KEYS/AUTHORIZE', '/%61pi/v1/keys/authorize'];
  return [...spelled, ...ends.map((end) => door + end), ...names];
};
