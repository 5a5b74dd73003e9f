import { join } from 'node:path';
import { copyInto } from '../support/node-package.ts';
import { describePackage } from '../support/package-suite.ts';
import { canRun } from '../support/programs.ts';
import { debianPython, hasPythonFrameworks, installPythonPackage } from '../support/python-package.ts';

const frameworks = hasPythonFrameworks('the package for Python is not tried with frameworks');
const pypy = canRun('pypy3', 'the package for Python is not tried with it', ['--version']);

const apps = [
  { name: 'WSGI', file: 'wsgi.py', python: debianPython, isHere: frameworks },
  { name: 'WSGI with PyPy', file: 'wsgi.py', python: 'pypy3', isHere: frameworks && pypy },
  { name: 'ASGI', file: 'asgi.py', python: debianPython, isHere: frameworks },
  { name: 'FastAPI', file: 'fastapi_app.py', python: debianPython, isHere: frameworks },
  { name: 'Flask', file: 'flask_app.py', python: debianPython, isHere: frameworks },
];

describePackage({
  apis: apps.map(({ name, file, python, isHere }) => ({
    name,
    isHere,
    command: (folder) => [python, join(folder, file)],
  })),
  install: async (folder) => {
    await installPythonPackage(folder);
    // Python looks for modules beside the script that it runs.
    await copyInto(folder, 'test/packages/apps', [...new Set(apps.map(({ file }) => file))]);
  },
});
