import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { postgresMigrations, sqliteMigrations } from '../../src/database/migration-lists.ts';
import { root } from '../support/process.ts';

/** The SHA-256 of each migration. A new one is added; none is ever changed: somewhere it was applied as it was. */
const landed = {
  postgresql: {
    'Migration20261123090000.ts': 'ba1ce40ead3c38fa974b6fa67b46fe9aa36784d6ed2741b4537740c340a46343',
    'Migration20261123170420.ts': '22786be958f6620f46569d5a714fdb44b08bd4e037506522e1750d2901952a56',
    'Migration20261123171000.ts': '7f1e825e69edd099f89dd4530d06a8c2cfd31ca617b1b463f960c3aa44d69b3b',
    'Migration20261123173504_compatible.ts':
      '2829ef5d82ea66afabccc3c8e90f246e01dafa3de75345f52549920291627f96',
    'Migration20261123181504.ts': 'ebf3b3cd6c7bbbc508d59cae711a533e13c423a9fe00c16871bdaaf9e87555ca',
    'Migration20261123183500.ts': '58ac0002c99ba1b04284e90085c8dd904d9a9b505fd0682db6a44b250f739a95',
    'Migration20261125110000.ts': '49401578a0f087ec54498ddd9be221bd6d006ccc31de7842236cee4e28027451',
    'Migration20261125150000.ts': 'e2e9cc0e6e2086a950fb89af3378a1a78abafa56765007827ccdf0a5cf7b7684',
    'Migration20261125161000_compatible.ts':
      'bfd089ad83edccbc184ce583e43cc00ccf72f96beff6f56d294e05ca2a78f521',
    'Migration20261125221129.ts': '5e6c95612f4ab0a4ba2483dea9057cdfaddd7c3d13508f40f46ebb25252e0d40',
    'Migration20261126042000.ts': '098487854370ace8894997d3a655db59e651fe5470207047cdeef58885c4328c',
    'Migration20261126043000_compatible.ts':
      '471be88882f7401e94c7459682bd3b5b80a8d359000c8b9ad413c9e450d75797',
    'Migration20261126062626.ts': '80b2dcdc6f83aac39ed2c08e05e624ec062189a6ae96e088b0173b292d91bb7d',
    'Migration20261127010000.ts': '4d8acec531304cf75622da8eb14ec75ed09cfb2aefd80fa7c18e8e4503603191',
    'Migration20261127070000.ts': 'bbff7f25679b0077e334efd6ae3eccb68facdbd8506fd7daadbb7c5099e4e3b7',
    'Migration20261127180000.ts': '8f3f1b77183e085e1c313da58cb8124124799db87107b2e67698fecb90d82e34',
    'Migration20261127230000.ts': '2d1d32343c0c05de5e13dfc110fe02d416bfeb857d7d8cb531058a43ddb90e0e',
    'Migration20261128090000.ts': 'e082ca8be73e091443e4d325a5b783921323195177475838be0ff43e32afaf6a',
    'Migration20261129030000.ts': 'fab5d76d76995da952f12876a2c5a388992c9c6113841a9b26005cf12d914b8c',
    'Migration20261129040000.ts': '1e8011571102d1d04e4ba6d603c8bcc8041d867a05230976860c463920bada23',
  },
  sqlite: {
    'Migration20261123090000.ts': 'f298dcb7c2704beecca367a9443186c2d1521b8c6f1c81ef1701ffa10a947cdd',
    'Migration20261123170418.ts': '574c32f1b67f7d1b0b2a4dfa0c24e798a967360ce7b8262168dc21c64d102acb',
    'Migration20261123171000.ts': 'b2d4d022a3b1d27f10d9363075eac7ad27ccf3e4e42795da7569dccd9bb7790f',
    'Migration20261123173502_compatible.ts':
      'afd944f991a37037094d474cf6c844e96573d9b67ef122db190035c35f251014',
    'Migration20261123181502.ts': '4f9f2c2c949cd9a6d3da102299d4bf9a0e03adda629726ff8eb8f1fd4a7b110f',
    'Migration20261123183500.ts': '92cd4407f7641b8f60c3a025f2150869cf80e36b3e60b1a268c31f9275fcc0ef',
    'Migration20261125110000.ts': '7912621453cae646cb8fd5e07dbbe551d5d23ae3883e356914d184af86d7d8a0',
    'Migration20261125150000.ts': 'adfce133dcc14bedf9670fb73c4b57666168a48e70e5b366cb1c430c4651ea55',
    'Migration20261125161000_compatible.ts':
      'e7e3259ef889025ccab77aff8aeb9d4470bd683534f89cbb0a883bdf6d4561f7',
    'Migration20261125221129.ts': '36e79ea9dfbfa18da285b4021a648bd1c47cde8a2cd5f96082c7bb34da2c8ac7',
    'Migration20261126042000.ts': 'ef5a6308b996b3326f47938e36545dd88c6d2aeca5293c1ddc671465834950e6',
    'Migration20261126043000_compatible.ts':
      '6caab90a5c85bd61eaf32df343e872e02868f09425e2af76eb8b999dcdd72f1d',
    'Migration20261126062625.ts': '49fa02404d27a96d804c76c125202813bb9c8972e6973fc7d72c027a38f56b1c',
    'Migration20261127010000.ts': 'c442afdad4e7cab8d1090f70c8c91ccfb937a0940f6fd6d8700779236fd38e2a',
    'Migration20261127070000.ts': '01a5ba123828dae1847298f07797c49b62b305b6a641e749a0d3bbdff20fedb6',
    'Migration20261127180000.ts': '5485d0f33ded699783a882d72367a82c4817f701b26b1f870f1b54b6288883bc',
    'Migration20261128090000.ts': '3cb4bca57437710ab9f0b7f832521f58549af8dc5e058a36f016d516572f85e2',
    'Migration20261129030000.ts': '85e0a5cd9d0df2fe99b2aadc47073008fe374770e5d9f60032a16fac499426b4',
    'Migration20261129040000.ts': 'ad7d56e2f98a893a57f99da41d20d89cc51c0cd10316f8300f546d7aea4c35b2',
  },
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

it.each(Object.entries(landed))(
  'the migrations of %s never change once they have landed',
  (database, digests) => {
    const files = globSync(join(root, 'src/database/migrations', database, '*.ts'));
    const found = files.map((file) => [basename(file), digest(file)]);
    expect(Object.fromEntries(found)).toEqual(digests);
  },
);

/** The statements of a migration that are not an index and nothing else: a unique one may refuse a row. */
const beyondIndexes = (statements: readonly string[]): readonly string[] =>
  statements.filter(
    (sql) => !/^create index (concurrently )?(if not exists )?("\w+"|`\w+`) on [^;]+;?$/i.test(sql),
  );

describe('a migration that is compatible with older versions', () => {
  const all = [...Object.entries(sqliteMigrations), ...Object.entries(postgresMigrations)];

  it.each(all)('adds only indexes, if its name ends in _compatible: %s', async (name, load) => {
    const { [name]: Migration } = await load();
    const migration = Migration && new Migration(undefined as never, undefined as never);
    await migration?.up();
    const statements = (migration?.getQueries?.() ?? []).map(String);
    expect(statements).not.toEqual([]);
    if (name.endsWith('_compatible')) expect(beyondIndexes(statements)).toEqual([]);
  });

  it.each([
    'create index "api_key_name" on "api_key" ("name");',
    'create index `api_key_name` on `api_key` (`name`);',
    'create index concurrently "a" on "api_key" ("name") where "is_active"',
  ])('may have %s', (sql) => {
    expect(beyondIndexes([sql])).toEqual([]);
  });

  it.each([
    'alter table "api_key" add column "blocked_at" timestamptz null;',
    'create table "plan" ("id" serial primary key);',
    'create unique index "a" on "api_key" ("name");',
    'create trigger "a" before insert on "api_key" begin select 1; end',
    'update "api_key" set "is_active" = false;',
    'drop index "api_key_name";',
    'create index "a" on "b" ("c"); drop table "b";',
  ])('may not have %s', (sql) => {
    expect(beyondIndexes([sql])).toEqual([sql]);
  });
});
