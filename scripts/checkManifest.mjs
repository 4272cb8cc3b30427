// Manifest and code agree, both ways: commands, views, settings, context keys, and every text in every language.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = readJson('package.json');
const contributes = manifest.contributes ?? {};
const problems = [];

/** What the extension's sources say: every string literal, status bar item ids, and the texts given to l10n. */
function readCode() {
  const code = { literals: new Map(), ownIds: new Set(), texts: new Map() };
  for (const file of sourceFiles('src/extension')) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
    visit(source, (node) => {
      if (ts.isStringLiteralLike(node)) {
        code.literals.set(node.text, file);
      }
      if (ts.isCallExpression(node)) {
        readCall(node, file, code);
      }
    });
  }
  // Presenters get the translating function from the surface and call it `t`.
  for (const file of sourceFiles('src/core/presenter')) {
    const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
    visit(source, (node) => {
      if (ts.isCallExpression(node)) {
        readText(node, file, code);
      }
    });
  }
  return code;
}

function readText(node, file, code) {
  const text = messageOf(node.arguments[0]);
  if (text !== undefined && /(^|\.)t$/.test(node.expression.getText())) {
    code.texts.set(text, file);
  }
}

function readCall(node, file, code) {
  const callee = node.expression.getText();
  const text = messageOf(node.arguments[0]);
  if (text === undefined) {
    return;
  }
  readText(node, file, code);
  if (/createStatusBarItem$/.test(callee)) {
    code.ownIds.add(text);
  }
}

/** l10n.t takes a text, or an object with the text in `message`. */
function messageOf(argument) {
  if (argument === undefined || ts.isStringLiteralLike(argument)) {
    return argument?.text;
  }
  if (!ts.isObjectLiteralExpression(argument)) {
    return undefined;
  }
  const message = argument.properties.find((property) => property.name?.getText() === 'message');
  return message !== undefined && ts.isStringLiteralLike(message.initializer) ? message.initializer.text : undefined;
}

function visit(node, see) {
  see(node);
  node.forEachChild((child) => visit(child, see));
}

function sourceFiles(folder) {
  const absolute = join(root, folder);
  const found = existsSync(absolute) ? readdirSync(absolute, { recursive: true, withFileTypes: true }) : [];
  return found
    .filter((entry) => entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

const commands = (contributes.commands ?? []).map((command) => command.command);
const views = Object.values(contributes.views ?? {})
  .flat()
  .map((view) => view.id);
const containers = Object.values(contributes.viewsContainers ?? {})
  .flat()
  .map((container) => container.id);
const settings = [contributes.configuration ?? []].flat().flatMap((group) => Object.keys(group.properties ?? {}));
const code = readCode();

checkIds();
checkContextKeys();
checkMenus();
checkManifestTexts();
checkCodeTexts();
for (const problem of problems) {
  console.error(problem);
}
process.exitCode = problems.length === 0 ? 0 : 1;

function checkIds() {
  const inCode = (id) => code.literals.has(id);
  for (const id of [...commands, ...views].filter((candidate) => !inCode(candidate))) {
    problems.push(`package.json contributes ${id}, but nothing in src/extension names it`);
  }
  for (const id of settings.filter(
    (candidate) => !inCode(candidate) && !inCode(candidate.replace(/^rollcall\./, '')),
  )) {
    problems.push(`package.json contributes the setting ${id}, but nothing in src/extension reads it`);
  }
  const known = new Set([...commands, ...views, ...settings, ...containers, ...code.ownIds]);
  for (const [id, file] of code.literals) {
    if (/^rollcall(\.\w+)+$/.test(id) && !known.has(id)) {
      problems.push(`${file} names ${id}, but package.json does not contribute it`);
    }
  }
}

function checkContextKeys() {
  const conditions = [];
  JSON.stringify(contributes, (key, value) => {
    if (key === 'when' || key === 'enablement') {
      conditions.push(value);
    }
    return value;
  });
  const asked = new Set(conditions.flatMap((condition) => condition.match(/\brollcall:\w+/g) ?? []));
  for (const key of [...asked].filter((candidate) => !code.literals.has(candidate))) {
    problems.push(`package.json asks for the context key ${key}, but nothing in src/extension sets it`);
  }
  for (const [key, file] of code.literals) {
    if (/^rollcall:\w+$/.test(key) && !asked.has(key)) {
      problems.push(`${file} names the context key ${key}, but no condition in package.json asks for it`);
    }
  }
}

function checkMenus() {
  const used = [...Object.values(contributes.menus ?? {}).flat(), ...(contributes.keybindings ?? [])];
  for (const { command } of used) {
    if (command?.startsWith('rollcall.') && !commands.includes(command)) {
      problems.push(`a menu or key in package.json names ${command}, which is not contributed`);
    }
  }
  const welcomeCommands = (contributes.viewsWelcome ?? []).flatMap((welcome) => {
    const text = (readIfThere('package.nls.json') ?? {})[welcome.contents.replaceAll('%', '')] ?? welcome.contents;
    return [...text.matchAll(/command:(rollcall\.\w+)/g)].map((match) => match[1]);
  });
  for (const command of welcomeCommands.filter((candidate) => !commands.includes(candidate))) {
    problems.push(`a welcome text links to ${command}, which is not contributed`);
  }
}

function checkManifestTexts() {
  const asked = new Set([...JSON.stringify(manifest).matchAll(/"%([\w.:-]+)%"/g)].map((match) => match[1]));
  for (const file of readdirSync(root).filter((name) => /^package\.nls(\.[\w-]+)?\.json$/.test(name))) {
    compareKeys({ file, has: readJson(file), asked, asker: 'package.json' });
  }
  if (asked.size > 0 && !existsSync(join(root, 'package.nls.json'))) {
    problems.push('package.json asks for texts, but there is no package.nls.json');
  }
}

function checkCodeTexts() {
  const folder = manifest.l10n ?? 'l10n';
  const absolute = join(root, folder);
  const bundles = existsSync(absolute)
    ? readdirSync(absolute).filter((name) => /^bundle\.l10n\..+\.json$/.test(name))
    : [];
  for (const bundle of bundles) {
    const file = join(folder, bundle);
    compareKeys({ file, has: readJson(file), asked: new Set(code.texts.keys()), asker: 'src/extension' });
  }
}

function compareKeys({ file, has, asked, asker }) {
  for (const key of [...asked].filter((candidate) => !(candidate in has))) {
    problems.push(`${file} has no text for ${JSON.stringify(key)}, which ${asker} asks for`);
  }
  for (const key of Object.keys(has).filter((candidate) => !asked.has(candidate))) {
    problems.push(`${file} has a text for ${JSON.stringify(key)}, which ${asker} never asks for`);
  }
}

function readIfThere(path) {
  return existsSync(join(root, path)) ? readJson(path) : undefined;
}
