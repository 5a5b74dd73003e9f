import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../support/process.ts';

/** The SHA-256 of each migration. A new one is added; none is ever changed: somewhere it was applied as it was. */
const landed = {
  postgresql: {
    'Migration20261121094425.ts': 'f22c7b5d4b4dbb754fadb6416eaa76ca5477ed0e0fbbc61be6e2b5327bc52bf9',
    'Migration20261121125844.ts': '1c5e43879ed765df43ae831e2c3395cafa0a2ccce02ddbf015318bd843928f8f',
    'Migration20261121132408.ts': '545b03b73b620b91386cd69311dd04ce762efcc4ac9236357f8c116311414a96',
    'Migration20261121151000.ts': 'e96bfa834e91df5262c2e54fb00734be789f47ebe132a5c4a1544a62b6ab9c16',
    'Migration20261122043115.ts': 'f32385a1c5bc340564af11e35544faf5c4b84a34db75e289a6e545d0debefcbb',
    'Migration20261122054714.ts': 'c09800fe444ef8069f1fddeac61b36926aab805db12e34a8bf2fb484cb55e7d0',
    'Migration20261122081900_compatible.ts':
      'f2210dde53b7f7d5609997678044f2fe4d99afc2ebffc1d1d414492ddd9b85a3',
    'Migration20261122124121_compatible.ts':
      '87cdcf8f42cd85379adf255912722c3e5438517bacb98c8f8fa71778373fffa9',
    'Migration20261122124635_compatible.ts':
      '2a1c4b93f99db781e4e3503936c4e183c29c20a3f4324c62ffbd036240ee1ed6',
    'Migration20261122134206_compatible.ts':
      'bb6bff0bc43cd4daf26bf0f50ddb9bc4486a13731ea75d2a1f510573408bdec5',
    'Migration20261122141800_compatible.ts':
      'cbab0c0c3f455986fd0b85170510cb9cdb99d6a62ab6de7406587a63c3efd987',
    'Migration20261122152740_compatible.ts':
      'f39f4821ad2cd15534bbe5bb8227b796e96c47c4454de6d3f316c0b853857a18',
    'Migration20261122154248_compatible.ts':
      '2fa99edb5623e68c332d497e1368e82d65ea4d35281a233377b069a191b76d2f',
    'Migration20261122155031_compatible.ts':
      'd55fd0ae495fb1fa30981c2fbabe296b1e022dd92fdbeb641f3cf8ecd3b85052',
    'Migration20261122163257_compatible.ts':
      '5d9e9fd6b5804fabecb27259bf3831af4614f6829924aadca30b3944126e4ef5',
    'Migration20261122185330_compatible.ts':
      '62f56d5b198d68bd5f7662a7afb1b97ef08bc8a67c093b9da138bd88c884781d',
    'Migration20261122190213_compatible.ts':
      '1a9165d894b2130fa4925e636d2f60aabbef835e29ecf9a12c922506a0430f67',
    'Migration20261122190300_compatible.ts':
      '6d6aad3fb6a33edfa62b12b5e996f72ff08282bc383259c9b37facb20503e3fa',
    'Migration20261122191709_compatible.ts':
      'a1e146f12e91cda8412203de087cb03c3cc3d901b81041e8c3d8811f4bb939a7',
  },
  sqlite: {
    'Migration20261121090135.ts': '7c66beb5f75f98ab969cc4e24a8bb43e5ea463b964cee8c8b564d40953917a73',
    'Migration20261121125839.ts': '324a3c5e09e42de6e06b93467ef536c71a1bfbc0a42aebf84f40da0efdac15d4',
    'Migration20261121132403.ts': 'e65113929041dc9f790c6d963f6355369e62562c29b322fcf54d63767e648983',
    'Migration20261122043110.ts': '8bd653cf4605762ff57a19f677f5e2828d3c227a6fe6753c192c83c4a19b724b',
    'Migration20261122054304.ts': '4921d41f1e7e437242814f9f97d34941de508ec840032290723693443e3d1d9c',
    'Migration20261122124118_compatible.ts':
      'c5d7e729cf752a66ac84f793907c4b5bd53f697b7939d7f21ce70f1cecaf951c',
    'Migration20261122124632_compatible.ts':
      '3f14fcafe574dc6d2bd10f05dab0704b2c11eb45530a53318403713246b3ade1',
    'Migration20261122134204_compatible.ts':
      '915d1fb1280bd9a6ed4e7ffa36a2537d2791f018d02581a21bff7bf05432ad6e',
    'Migration20261122152739_compatible.ts':
      '8a48989ddc03b0732650294fe4d5da7e2324212f72d8ece6987ee855e2583c3e',
    'Migration20261122154245_compatible.ts':
      '1d614b6d08ff83b67c93c770a7686ca64046b0371fb1f460827406292aa8a0a6',
    'Migration20261122155028_compatible.ts':
      '0bf93b5575d086c58d5c7866c5ed04933d1a028faf12a78ebfb52b76c0f3d1cd',
    'Migration20261122163252_compatible.ts':
      '1ad418283e4c4c3042284ac77e995b3a05d4cd042a639d1e3b7a5d53d168df4b',
    'Migration20261122185329_compatible.ts':
      'eed8d7d605a7d147d4dea69d3bf7b4d864b5def4ca0252dd9fed54afc4dbf8f4',
    'Migration20261122190209_compatible.ts':
      'd6cf4560a234b9d07a7c3ba782d780f9bf180c6e548272eed44f1a20179b8b89',
    'Migration20261122190240_compatible.ts':
      'b34f0a5f58aebf11bda1995faf4c3dcc485b13f84278eb14b8dfb49c7b4bb27e',
    'Migration20261122191707_compatible.ts':
      '71e7a488e0c01d85b4e2065a39e1be09ab47e5090106035a8885f9e8420ad1b3',
  },
};

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

it.each(Object.entries(landed))('of %s are never edited once they have landed', (database, digests) => {
  const files = globSync(join(root, 'src/database/migrations', database, '*.ts'));
  const found = files.map((file) => [basename(file), digest(file)]);
  expect(Object.fromEntries(found)).toEqual(digests);
});
