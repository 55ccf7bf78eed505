'use strict';

// Run in the fetch stage after the installations: see NPMCollectScript.

const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const testbed = '/testbed';
const out = '/deps/npm/out';
const links = JSON.parse(fs.readFileSync('/deps/npm/links.json', 'utf8'));

// Calls visit with every node_modules below dir, outermost first.
function eachModules(dir, visit) {
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    if (!e.isDirectory() || e.name === '.git') continue;
    const at = path.join(dir, e.name);
    if (e.name === 'node_modules') visit(at);
    else eachModules(at, visit);
  }
}

// Calls visit with every installed package's directory below a node_modules.
function eachPackage(modules, visit) {
  for (const name of packages(modules)) {
    const at = path.join(modules, name);
    if (!fs.lstatSync(at).isDirectory()) continue;
    if (visit(name, at)) continue;
    eachModules(at, (nested) => eachPackage(nested, visit));
  }
}

function packages(modules) {
  return fs.readdirSync(modules, { withFileTypes: true }).flatMap((e) => {
    if (e.name.startsWith('.')) return [];
    if (!e.isDirectory()) return [];
    if (!e.name.startsWith('@')) return [e.name];
    return fs.readdirSync(path.join(modules, e.name)).map((n) => `${e.name}/${n}`);
  });
}

function version(dir) {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, 'package.json'), 'utf8')).version || '';
  } catch {
    return '';
  }
}

const siblings = new Map(links.map((l) => [l.name, l]));

function replace(name, at) {
  const sibling = siblings.get(name);
  if (!sibling) return false;
  const v = version(at);
  if (!sibling.majors.includes(v.split('.')[0])) return false;
  fs.rmSync(at, { recursive: true });
  fs.symlinkSync(sibling.dir, at);
  console.log(`${path.relative(testbed, at)}: release ${v} replaced by the checkout`);
  return true;
}

// Returns the node_modules that the repository holds itself, as fixtures do.
function tracked(repo) {
  const files = execFileSync('git', ['ls-files', '-z', '--', '*node_modules/*'], { cwd: repo, maxBuffer: 1 << 30 });
  return new Set(
    files
      .toString()
      .split('\0')
      .filter(Boolean)
      .map((f) => path.join(repo, f.slice(0, f.indexOf('node_modules/') + 'node_modules'.length))),
  );
}

fs.mkdirSync(out, { recursive: true });
for (const e of fs.readdirSync(testbed, { withFileTypes: true })) {
  if (!e.isDirectory()) continue;
  const own = tracked(path.join(testbed, e.name));
  eachModules(path.join(testbed, e.name), (modules) => {
    if (own.has(modules)) return;
    eachPackage(modules, replace);
    fs.rmSync(path.join(modules, '.package-lock.json'), { force: true });
    fs.rmSync(path.join(modules, '.cache'), { recursive: true, force: true });
    const to = path.join(out, path.relative(testbed, modules));
    fs.mkdirSync(path.dirname(to), { recursive: true });
    // Not rename: a directory of a lower layer is on another device.
    execFileSync('mv', ['-T', modules, to]);
  });
}
