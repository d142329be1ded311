// The dashboard of a daemon: draws what /dashboard/live tells. It decides nothing: what is protected, what may be
// drained and what a restart takes is computed by the daemon (docs/flows/dashboard.md). Names are untrusted text: all
// of it is set as text or attribute value, never as markup.
'use strict';

const $ = id => document.getElementById(id);
const state = {picture: null, events: [], token: '', acts: false, selected: [], focused: '', drawn: {}, asked: '',
  answers: 0, last: 0, connection: null};

// ---- text ----

/** As the commands print it: what turns or hides text is shown as an escape. */
const printable = text => String(text).replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu,
  c => '\\u' + c.codePointAt(0).toString(16).padStart(4, '0'));

function el(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : printable(value));
    }
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== '') {
      element.append(child instanceof Node ? child : printable(child));
    }
  }
  return element;
}

function bytes(n) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let unit = 0;
  let value = n;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return unit === 0 ? n + ' B' : value.toFixed(1) + ' ' + units[unit];
}

function duration(seconds) {
  if (seconds < 10) {
    return (Math.round(seconds * 10) / 10) + ' s';
  }
  const whole = Math.ceil(seconds);
  const minutes = Math.ceil(whole / 60);
  const hours = Math.floor(minutes / 60);
  return whole < 120 ? whole + ' s' : minutes < 120 ? minutes + ' min'
    : hours < 48 ? hours + ' h ' + minutes % 60 + ' min' : Math.floor(hours / 24) + ' d ' + hours % 24 + ' h';
}

const plural = (n, word) => n + ' ' + word + (n === 1 ? '' : 's');
const clock = ms => new Date(ms).toLocaleTimeString('en-GB');
const title = dataset => (dataset.id ?? dataset.dataset ?? dataset.datasetId) + " '" + dataset.name + "'";
const byName = (a, b) => a.localeCompare(b, 'en', {numeric: true});

/** Names in short: n[1-3,7]. */
function names(all, most = 12) {
  const groups = new Map();
  for (const name of [...all].sort(byName)) {
    const parts = /^(.*?)(0|[1-9]\d{0,8})$/.exec(name);
    const base = parts ? parts[1] : name;
    groups.set(base, [...(groups.get(base) || []), parts ? Number(parts[2]) : null]);
  }
  const words = [];
  for (const [base, numbers] of groups) {
    const ranges = [];
    if (numbers.includes(null)) {
      words.push(base);
    }
    const sorted = numbers.filter(n => n !== null);
    for (let i = 0; i < sorted.length;) {
      let end = i;
      while (end + 1 < sorted.length && sorted[end + 1] === sorted[end] + 1) {
        end++;
      }
      ranges.push(end === i ? String(sorted[i]) : sorted[i] + '-' + sorted[end]);
      i = end + 1;
    }
    if (ranges.length > most) {
      ranges.splice(most, ranges.length, '...');
    }
    if (sorted.length) {
      words.push(sorted.length === 1 ? base + ranges[0] : base + '[' + ranges.join(',') + ']');
    }
  }
  return words.length > most ? words.slice(0, most).join(', ') + ' and ' + (words.length - most) + ' more' : words.join(', ');
}

function ranges(numbers) {
  return names(numbers.map(String), 8).replace(/^\[(.*)\]$/, '$1');
}

// ---- what is drawn ----

/** Draws a part again only where what it shows has changed, so that focus and scroll positions stay. */
function part(name, shown, draw) {
  const text = JSON.stringify(shown);
  if (state.drawn[name] !== text) {
    state.drawn[name] = text;
    draw();
  }
}

function draw() {
  const picture = state.picture;
  const status = picture.status;
  const cluster = status.cluster;
  drawRun(status, cluster);
  part('verdicts', [picture.losses, picture.interval, status.flushes, cluster.datasets, minute()], () => {
    drawOne(picture.losses);
    drawTwo(picture.losses);
    drawRestart(picture.losses);
    drawFlush(status, cluster);
    drawInterval(picture.interval);
  });
  part('attention', picture.attention, () => drawAttention(picture.attention || []));
  part('datasets', [cluster.datasets, status.flushes, state.acts], () => drawDatasets(status, cluster));
  part('groups', [picture.groups, picture.losses && picture.losses.layout && picture.losses.layout.sets],
    () => drawGroupings(picture));
  drawMap();
  part('drains', [picture.losses && picture.losses.drain, status.drains, state.acts], () => drawDrains(picture.losses));
  part('losses', picture.losses, () => drawLosses(picture.losses));
  part('space', [cluster.stores, cluster.prefixes], () => drawSpace(cluster));
  if (state.selected.length && question() !== state.asked) {
    ask(state.selected);
  }
  $('made').textContent = printable('as node ' + status.node + ' saw it at ' + clock(picture.timeMs) + ', in ' + picture.tookMs + ' ms; '
    + status.leader + ' leads');
}

/** What the answer about the selected nodes depends on. */
const question = () => JSON.stringify([state.selected, state.picture && [state.picture.losses, state.picture.status.drains], state.acts]);

const minute = () => Math.floor(Date.now() / 30000);

function drawRun(status, cluster) {
  const run = cluster.run;
  const waits = status.waits.missing.length ? '; missing: ' + names(status.waits.missing) : '';
  $('run').textContent = printable(run
    ? "run '" + run.jobName + "', " + plural(run.ranks, 'rank') + ' on ' + plural(run.nodes.length, 'node') + ': ' + status.waits.for + waits
    : 'no run' + (status.waits.for === 'no run' ? '' : ': ' + status.waits.for) + waits);
  document.title = (run ? run.jobName + ' - ' : '') + 'vertx-scr';
}

function verdict(id, mood, text, detail) {
  const article = $(id);
  article.className = mood;
  article.querySelector('.verdict').textContent = printable(text);
  article.querySelector('.detail').textContent = printable(detail);
}

const costly = kinds => kinds.filter(kind => kind.costsWork);
const count = kinds => kinds.reduce((sum, kind) => sum + kind.count, 0);

function cost(kind) {
  const lost = [...kind.checkpointsLost, ...kind.lost].map(title);
  return lost.length ? 'lost: ' + [...new Set(lost)].slice(0, 3).join(', ') + (new Set(lost).size > 3 ? ' and more' : '')
    : kind.refusedFor ? 'a run is refused, for ' + title(kind.refusedFor) : 'nothing is lost';
}

function drawOne(losses) {
  if (!losses) {
    verdict('one', '', 'nothing to lose', 'no run and no dataset');
    return;
  }
  const bad = costly(losses.one);
  const nodes = bad.flatMap(kind => kind.examples.map(loss => loss[0]));
  const all = count(losses.one);
  if (!bad.length) {
    verdict('one', losses.restart ? 'good' : 'warn', losses.restart ? 'safe' : 'nothing yet',
      losses.restart ? 'no checkpoint is lost, whichever of ' + plural(all, 'node') + ' it is' : 'there is no checkpoint to lose');
  } else {
    verdict('one', 'bad', nodes.length === all ? 'any node costs work' : plural(nodes.length, 'node') + ' of ' + all,
      names(nodes) + ': ' + cost(bad[0]));
  }
}

function drawTwo(losses) {
  if (!losses) {
    verdict('two', '', '-', '');
    return;
  }
  const bad = count(costly(losses.two));
  const all = count(losses.two) + losses.pairsLeftOut;
  const left = losses.pairsLeftOut ? '; ' + losses.pairsLeftOut + ' pairs in large sets were not looked at' : '';
  if (!bad) {
    verdict('two', losses.restart && !left ? 'good' : '', losses.restart ? 'safe' : '-', all ? 'none of ' + plural(all, 'pair') + ' costs work' + left : '');
  } else {
    verdict('two', 'warn', bad + ' of ' + plural(all, 'pair'),
      cost(costly(losses.two)[0]) + '; such as ' + costly(losses.two)[0].examples.slice(0, 2).map(loss => loss.join(' and ')).join(', ') + left);
  }
}

function drawRestart(losses) {
  const restart = losses && losses.restart;
  if (!restart) {
    verdict('restart', losses ? 'bad' : '', 'no checkpoint', losses && losses.trouble ? losses.trouble : 'a run would start from the beginning');
    return;
  }
  verdict('restart', '', title(restart), 'of the ' + (restart.from === 'caches' ? 'caches' : 'prefix directory') + ', begun '
    + duration(Math.max(0, (Date.now() - restart.createdMs) / 1000)) + ' ago' + (losses.trouble ? '; prefix directory: ' + losses.trouble : ''));
}

function flushWords(flush) {
  const amount = flush.amount;
  const part = amount.totalBytes ? Math.floor(100 * amount.doneBytes / amount.totalBytes) : 100;
  return flush.state === 'copying' ? part + ' %' + (amount.bytesPerSecond ? ', ' + bytes(amount.bytesPerSecond) + '/s' : '')
    + (flush.remainingMs === undefined ? '' : ', ' + duration(flush.remainingMs / 1000) + ' left') : flush.state;
}

function drawFlush(status, cluster) {
  const bar = $('flush').querySelector('progress');
  const flush = status.flushes.find(one => one.cause) || status.flushes[0];
  bar.hidden = !flush;
  if (flush) {
    bar.value = flush.amount.totalBytes ? flush.amount.doneBytes / flush.amount.totalBytes : 0;
    const [part, ...rest] = flushWords(flush).split(', ');
    verdict('flush', flush.cause ? 'bad' : '', flush.cause && flush.state !== 'copying' ? 'fails' : part, 'dataset ' + title(flush)
      + (rest.length ? ', ' + rest.join(', ') : '') + (flush.cause ? ': attempt ' + flush.attempt + ': ' + flush.cause : '') + (status.flushes.length > 1 ? '; ' + (status.flushes.length - 1) + ' more' : ''));
    return;
  }
  const waiting = cluster.datasets.filter(dataset => dataset.flush === 'WANTED');
  const newest = cluster.datasets.find(dataset => dataset.flush === 'DONE');
  verdict('flush', waiting.length ? 'warn' : '', waiting.length ? plural(waiting.length, 'dataset') + ' waits' : 'nothing to do',
    newest ? 'in the prefix directory: ' + title(newest) : 'no dataset of the caches is in the prefix directory');
}

function drawInterval(interval) {
  if (!interval || interval.usedSeconds === undefined) {
    verdict('interval', '', 'not known', 'nothing is written down yet; a run does so each minute');
    return;
  }
  const level = interval.levels.find(one => one.level === interval.usedLevel);
  verdict('interval', '', duration(interval.usedSeconds), 'a checkpoint costs ' + duration(level.costSeconds) + ' (level '
    + level.level.toLowerCase() + '), one failure in ' + duration(interval.mtbfSeconds) + ': ' + interval.failures + ' seen in '
    + duration(interval.computedSeconds) + ' of runs, one a day assumed' + (interval.flushEach ? '; flush every ' + interval.flushEach + '.' : ''));
}

function drawAttention(all) {
  $('attention').querySelector('ul').replaceChildren(...(all.length ? all.map(one => el('li', {class: one.urgency},
    el('strong', {}, one.urgency === 'alarm' ? 'Alarm: ' : 'Warning: '), one.what, one.command ? el('code', {}, one.command) : ''))
    : [el('li', {class: 'quiet'}, 'Nothing wants attention.')]));
}

const PROTECTION = {FULL: ['full', 'good'], SINGLE: ['none', 'warn'], DEGRADED: ['degraded', 'warn'], LOST: ['lost', 'bad'],
  OPEN: ['pending', '']};

function survives(dataset, nodes) {
  const flushed = dataset.flush === 'DONE';
  if (flushed) {
    return ['in prefix', 'good'];
  }
  return dataset.state === 'LOST' || dataset.state === 'OPEN' ? ['-', ''] : !dataset.fatalNodes.length ? ['survives', 'good']
    : ['lost: ' + (dataset.fatalNodes.length === 1 ? dataset.fatalNodes[0] : dataset.fatalNodes.length + '/' + nodes), 'bad'];
}

/** A cell with its label, for narrow pages. */
function cell(tag, label, attributes, ...children) {
  return el(tag, attributes, el('span', {class: 'label', 'aria-hidden': 'true'}, label), el('span', {class: 'value'}, ...children));
}

const word = ([text, mood]) => el('span', {class: 'word ' + mood}, text);

function drawDatasets(status, cluster) {
  document.querySelector('#datasets .empty').hidden = cluster.datasets.length > 0;
  document.querySelector('#datasets .wide').hidden = cluster.datasets.length === 0;
  document.querySelector('#datasets tbody').replaceChildren(...cluster.datasets.map(dataset => {
    const flush = status.flushes.find(one => one.datasetId === dataset.dataset);
    const flushed = {DONE: 'done', WANTED: 'waits', NOT_WANTED: '-'}[dataset.flush] || dataset.flush;
    const bar = flush && flush.amount.totalBytes ? el('progress', {max: 1, value: flush.amount.doneBytes / flush.amount.totalBytes,
      'aria-label': 'Flush of dataset ' + dataset.dataset}) : '';
    return el('tr', {'data-dataset': dataset.dataset, 'data-state': dataset.state, 'data-flush': dataset.flush},
      cell('th', 'Dataset', {scope: 'row'}, dataset.dataset + ' ' + dataset.name, dataset.checkpoint ? '' : ' (output)'),
      cell('td', 'Size', {class: 'number'}, bytes(dataset.bytes)),
      cell('td', 'Protection', {class: 'protection'}, word(PROTECTION[dataset.state] || [dataset.state, '']), ' ' + dataset.scheme,
        dataset.missing.length && dataset.state !== 'OPEN' ? '; ranks ' + ranges(dataset.missing) + ' on no node' : '', dataset.lost ? '; ' + dataset.lost : ''),
      cell('td', 'If a node dies', {class: 'survives', title: names(dataset.fatalNodes)}, word(survives(dataset, status.nodes.length))),
      cell('td', 'Flush', {class: 'flush'}, flush ? flushWords(flush) : flushed, flush && flush.cause ? '; ' + flush.cause : '', bar),
      cell('td', 'Where', {}, names(dataset.nodes), ' in ' + dataset.prefix),
      cell('td', 'Act', {class: 'action'}, ...actions(dataset)));
  }));
}

/** Has something done once it is confirmed; the daemon refuses what cannot be done now, and says why. */
function actionButton(text, what, cost, wish) {
  const made = el('button', {type: 'button', 'data-action': (wish.cancel ? 'cancel-' : '') + wish.action, 'aria-label': what}, text);
  made.addEventListener('click', () => confirmed(what + '?', cost, wish));
  return made;
}

/** What one may have done to a dataset. */
function actions(dataset) {
  const button = (text, action, cost) =>
    actionButton(text, text + ' dataset ' + title(dataset), cost, {action, dataset: dataset.dataset});
  return !state.acts ? [] : [...(dataset.flush === 'DONE' || dataset.state === 'LOST' ? [] : [button('Flush', 'flush', '')]), ' ',
    button('Drop', 'drop', dataset.flush === 'DONE' ? 'It leaves the caches and the index; its files in the prefix directory stay.'
      : 'It is not in the prefix directory: nothing of it is left then.')];
}

let wanted = null;

function confirmed(what, cost, request) {
  wanted = request;
  $('confirm-what').textContent = printable(what);
  $('confirm-cost').textContent = printable(cost);
  $('confirm').showModal();
  $('confirm-no').focus();
}

async function act() {
  $('confirm').close();
  const result = $('acted');
  result.hidden = false;
  result.className = '';
  result.textContent = 'waiting for the answer';
  try {
    const response = await request('/dashboard/act', {method: 'POST', body: JSON.stringify(wanted)});
    result.className = response.ok ? 'good' : 'bad';
    result.textContent = printable((wanted.cancel ? 'cancel ' : '') + wanted.action + ' ' + (wanted.dataset ?? wanted.node ?? '') + ': '
      + (await response.text()).trim());
  } catch (failure) {
    result.className = 'bad';
    result.textContent = 'no answer: ' + printable(failure.message);
  }
}

async function learnAccess() {
  const response = await request('/dashboard/access');
  const access = response.ok ? await response.json() : {act: false};
  state.acts = access.act;
  document.body.classList.toggle('acts', access.act);
  $('halt').hidden = !access.act;
  if (state.picture) {
    draw();
  }
}

// ---- nodes ----

function lostNodes() {
  const status = state.picture.status;
  return ((status.run && status.run.lostNodes) || []).filter(node => !status.nodes.includes(node));
}

const DRAIN = {WAITING: ['to be drained', 'warn'], DRAINING: ['draining', 'warn'], STOPPED: ['cannot be drained', 'bad'],
  DRAINED: ['drained', 'good']};
const drainOf = node => state.picture.status.drains.find(one => one.node === node);
const drainWord = drain => [DRAIN[drain.state][0] + (drain.state === 'DRAINING' ? ' ' + drain.percent + ' %' : ''), DRAIN[drain.state][1]];

/** What one may have done to a node. */
function drainButton(node) {
  return drainOf(node)
    ? actionButton('Cancel the drain', 'Cancel the drain of node ' + node, 'It takes runs and data of others again. What was copied stays.',
      {action: 'drain', node, cancel: true})
    : actionButton('Drain', 'Drain node ' + node, 'It takes no run and no data of others from then on; what only it has is copied to others, behind'
      + ' a run that is on.', {action: 'drain', node, afterRun: true});
}

/** Each node with its sign, mood and what a screen reader says. */
function seenNodes() {
  const {status, losses} = state.picture;
  const fatal = new Set(losses ? costly(losses.one).flatMap(kind => kind.examples.map(loss => loss[0])) : []);
  const ranks = new Map(losses && losses.layout ? losses.layout.holders.map(holder => [holder.node, holder.ranks]) : []);
  const spares = new Set(status.cluster.spares);
  const seen = status.nodes.map(node => {
    const words = [];
    let look = ['✓', 'good'];
    if (fatal.has(node)) {
      look = ['!', 'bad'];
      words.push('its loss costs work');
    } else if (spares.has(node) || !ranks.has(node)) {
      look = ['○', ''];
      words.push(spares.has(node) ? 'spare' : 'without files of the newest checkpoint');
    } else {
      words.push('its loss costs nothing');
    }
    const drain = drainOf(node);
    if (drain) {
      look = ['→', drain.state === 'STOPPED' ? 'bad' : drain.state === 'DRAINED' ? 'good' : 'warn'];
      words.push(drainWord(drain)[0]);
    }
    if (node === status.leader) {
      words.push('leads');
    }
    if (ranks.has(node)) {
      words.push('ranks ' + ranges(ranks.get(node)));
    }
    return {node, sign: look[0], mood: look[1], words: words.join(', ')};
  });
  return [...seen, ...lostNodes().map(node => ({node, sign: '✕', mood: 'gone', words: 'lost'}))]
    .sort((a, b) => byName(a.node, b.node));
}

function drawGroupings(picture) {
  const select = $('group-by');
  const chosen = select.value;
  const layout = picture.losses && picture.losses.layout;
  select.replaceChildren(el('option', {value: ''}, 'nothing'),
    ...picture.groups.map(group => el('option', {value: 'g' + group.group}, 'failure group ' + group.group)),
    ...(layout && layout.sets.length ? [el('option', {value: 's'}, layout.scheme + ' sets of ' + title(layout))] : []));
  select.value = [...select.options].some(option => option.value === chosen) ? chosen : '';
  $('names').replaceChildren(...picture.status.nodes.slice(0, 2000).map(node => el('option', {value: node})));
}

function blocks(seen) {
  const chosen = $('group-by').value;
  const byNode = new Map(seen.map(one => [one.node, one]));
  const {groups, losses} = state.picture;
  let made = [];
  if (chosen === 's') {
    made = losses.layout.sets.map((set, i) => ({name: 'set ' + (i + 1), nodes: set}));
  } else if (chosen) {
    const group = groups.find(one => 'g' + one.group === chosen);
    made = group ? group.values.map(one => ({name: group.group + ' ' + one.value, nodes: one.nodes})) : [];
  }
  const placed = new Set(made.flatMap(block => block.nodes));
  const rest = seen.filter(one => !placed.has(one.node)).map(one => one.node);
  return [...made, ...(rest.length ? [{name: made.length ? 'others' : '', nodes: rest}] : [])]
    .map(block => ({name: block.name, cells: block.nodes.map(node => byNode.get(node)
      || {node, sign: '✕', mood: 'gone', words: 'not there'})}));
}

function drawMap() {
  const seen = seenNodes();
  part('map', [seen, $('group-by').value, state.picture.groups], () => {
    const status = state.picture.status;
    $('node-count').textContent = '(' + status.nodes.length + ' up' + (lostNodes().length ? ', ' + lostNodes().length + ' lost' : '') + ')';
    const map = $('map');
    map.classList.toggle('many', seen.length > 120);
    const hadFocus = map.contains(document.activeElement);
    map.replaceChildren(...blocks(seen).map(block => {
      const cells = el('div', {class: 'cells', role: 'group', 'aria-label': block.name || 'all nodes'}, ...block.cells.map(one =>
        el('button', {type: 'button', role: 'option', class: 'cell ' + one.mood, 'data-node': one.node, 'data-sign': one.sign, tabindex: '-1',
          'aria-label': one.node + ': ' + one.words, title: one.node + ': ' + one.words, 'aria-selected': 'false'}, one.node)));
      return el('div', {class: 'block'}, block.name ? el('h3', {}, block.name + ' (' + block.cells.length + ')') : '', cells);
    }));
    rove(hadFocus);
    markSelected();
    const kinds = [['✓', 'good', 'its loss costs nothing'], ['!', 'bad', 'its loss costs work'],
      ['○', '', 'spare, or without files'], ['→', '', 'drained, or to be'], ['✕', 'gone', 'lost']];
    $('legend').replaceChildren(...kinds.map(([sign, mood, words]) => [sign, mood, words, seen.filter(one => one.sign === sign).length])
      .filter(kind => kind[3]).map(([sign, mood, words, n]) => el('li', {}, word([sign + ' ' + n, mood]), ' ' + words)));
  });
}

const cells = () => [...$('map').querySelectorAll('.cell')];

/** One cell can be reached by Tab; arrow keys lead to the others. */
function rove(focus) {
  const all = cells();
  const current = all.find(one => one.dataset.node === state.focused) || all[0];
  all.forEach(one => { one.tabIndex = one === current ? 0 : -1; });
  if (focus && current) {
    current.focus();
  }
}

function markSelected() {
  cells().forEach(one => one.setAttribute('aria-selected', String(state.selected.includes(one.dataset.node))));
}

function moved(key, from) {
  const all = cells();
  const at = all.indexOf(from);
  const box = from.getBoundingClientRect();
  const rows = way => {
    const there = all.filter(one => way * (one.getBoundingClientRect().top - box.top) > 2);
    const row = way > 0 ? there[0] : there.at(-1);
    const top = row && row.getBoundingClientRect().top;
    return there.filter(one => Math.abs(one.getBoundingClientRect().top - top) < 2)
      .sort((a, b) => Math.abs(a.getBoundingClientRect().left - box.left) - Math.abs(b.getBoundingClientRect().left - box.left))[0];
  };
  switch (key) {
    case 'ArrowRight': return all[at + 1];
    case 'ArrowLeft': return all[at - 1];
    case 'ArrowDown': return rows(1);
    case 'ArrowUp': return rows(-1);
    case 'Home': return all[0];
    case 'End': return all.at(-1);
    default: return null;
  }
}

function select(node) {
  state.selected = state.selected.includes(node) ? state.selected.filter(one => one !== node) : [...state.selected.slice(-1), node];
  markSelected();
  ask(state.selected);
}

/** Nodes that have gone are not asked about any more. */
function forget(gone) {
  if (state.selected.some(node => gone.includes(node))) {
    state.selected = state.selected.filter(node => !gone.includes(node));
    ask(state.selected);
  }
}

async function ask(nodes) {
  const answer = $('answer');
  if (answer.dataset.nodes !== nodes.join(',')) {
    answer.dataset.nodes = nodes.join(',');               // no answer about others, with their button, stands meanwhile
    answer.replaceChildren(el('p', {}, 'waiting for the answer'));
  }
  if (!nodes.length) {
    answer.replaceChildren(el('p', {}, 'Select a node on the map, or two for the loss of both.'));
    return;
  }
  const mine = ++state.answers;
  state.asked = question();
  try {
    const response = await request('/dashboard/loss?nodes=' + encodeURIComponent(nodes.join(',')));
    const text = await response.text();
    if (mine === state.answers) {
      answer.replaceChildren(...(response.ok ? answered(nodes, JSON.parse(text)) : [el('p', {class: 'word bad'}, text.trim())]));
    }
  } catch (failure) {
    answer.replaceChildren(el('p', {}, 'No answer: ' + failure.message));
  }
}

function answered(nodes, loss) {
  const seen = seenNodes().filter(one => nodes.includes(one.node));
  return [el('p', {}, word(loss.drain.may ? ['Yes', 'good'] : ['No', 'bad']), ' ',
      el('strong', {}, 'drain ' + nodes.join(' and '))),
    el('ul', {}, ...loss.drain.reasons.map(reason => el('li', {}, reason))),
    ...(state.acts && nodes.length === 1 && state.picture.status.nodes.includes(nodes[0]) ? [drainButton(nodes[0])] : []),
    el('h3', {}, 'If ' + nodes.join(' and ') + (nodes.length === 1 ? ' dies' : ' die')),
    el('ul', {}, el('li', {}, cost(loss)), el('li', {}, loss.restart ? 'a restart takes ' + title(loss.restart) + ' of the '
      + (loss.restart.from === 'caches' ? 'caches' : 'prefix directory') + (loss.restart.rebuiltRanks ? ', the files of ' + plural(loss.restart.rebuiltRanks, 'rank')
      + ' are rebuilt' : '') : 'no checkpoint is left'), ...loss.helps.map(help => el('li', {}, 'helps: ' + help))),
    ...(seen.length ? [el('h3', {}, 'Now'), el('ul', {}, ...seen.map(one => el('li', {}, one.node + ': ' + one.words)))] : [])];
}

function drawDrains(losses) {
  const wanted = state.picture.status.drains.flatMap(drain => [
    el('dt', {'data-drain': drain.state}, word(drainWord(drain)), ' ' + drain.node + ' ', state.acts ? drainButton(drain.node) : ''),
    drain.state === 'DRAINING' ? el('dd', {}, el('progress', {max: 100, value: drain.percent, 'aria-label': 'Drain of node ' + drain.node})) : '',
    drain.cause ? el('dd', {}, drain.cause) : '']);
  $('drains').replaceChildren(...wanted.filter(one => one), ...(losses ? losses.drain : []).flatMap(one => [
    el('dt', {'data-may': one.may}, word(one.may ? ['Yes', 'good'] : ['No', 'bad']), ' ' + names(one.nodes)),
    ...one.reasons.map(reason => el('dd', {}, reason))]));
}

function drawLosses(losses) {
  const rows = !losses ? [] : [...losses.one.map(kind => ['one node', kind]), ...losses.two.map(kind => ['two nodes', kind])]
    .sort((a, b) => b[1].costsWork - a[1].costsWork);
  document.querySelector('#losses tbody').replaceChildren(...rows.map(([what, kind]) => el('tr', {'data-costs': kind.costsWork},
    cell('th', 'Loss of', {scope: 'row'}, what), cell('td', 'How many', {class: 'number'}, kind.count),
    cell('td', 'Such as', {}, what === 'one node' ? names(kind.examples.map(loss => loss[0])) : kind.examples.slice(0, 4).map(loss => loss.join(' and ')).join(', ')),
    cell('td', 'Cost', {}, word([cost(kind), kind.costsWork ? 'bad' : 'good'])),
    cell('td', 'A restart then takes', {}, kind.restart ? title(kind.restart) + ' of the ' + (kind.restart.from === 'caches' ? 'caches' : 'prefix directory') : 'nothing'))));
  const more = losses ? losses.oneKinds - losses.one.length + losses.twoKinds - losses.two.length : 0;
  $('losses-note').textContent = printable(!losses ? 'Nothing is in the caches, and no run is on.' : (more ? more + ' lesser kinds are not shown. ' : '')
    + (losses.pairsLeftOut ? losses.pairsLeftOut + ' pairs within large redundancy sets were not looked at; ask for one above. ' : '')
    + 'Of runs in ' + losses.prefix + ' with ' + plural(losses.ranks, 'rank') + '.');
}

function drawSpace(cluster) {
  const used = one => (one.wholeBytes - one.freeBytes) / one.wholeBytes;
  const known = cluster.stores.filter(store => store.wholeBytes > 0).sort((a, b) => used(b) - used(a));
  const bar = (what, one) => el('li', {}, what + ': ' + Math.round(100 * used(one)) + ' % used, ' + bytes(one.freeBytes) + ' free',
    el('meter', {min: 0, max: 1, low: 0.8, high: 0.9, optimum: 0.3, value: used(one), 'aria-label': what}));
  const total = cluster.stores.reduce((sum, store) => sum + store.usedBytes, 0);
  document.querySelector('#space ul').replaceChildren(
    el('li', {}, 'caches: ' + bytes(total) + ' of datasets on ' + plural(new Set(cluster.stores.map(store => store.node)).size, 'node')),
    ...known.slice(0, 3).map(store => bar('cache of ' + store.node + ', ' + store.base + ', ' + bytes(store.usedBytes) + ' of datasets', store)),
    ...(known.length > 3 ? [el('li', {}, plural(known.length - 3, 'store') + ' with more room')] : []),
    ...cluster.prefixes.map(prefix => prefix.wholeBytes ? bar('prefix directory ' + prefix.path, prefix)
      : el('li', {}, 'prefix directory ' + prefix.path + ': does not answer')));
}

// ---- timeline ----

const GOOD = new Set(['dataset-complete', 'flush-done', 'restored', 'restart-read', 'damage-repaired', 'heal-done', 'protection-caught-up']);
const BAD = new Set(['node-left', 'dataset-discarded', 'phase-refused', 'restart-failed', 'restart-passed-over', 'restart-anew', 'flush-failed',
  'flush-given-up', 'corrupt-found', 'quarantined', 'protection-not-caught-up', 'protection-weak', 'damage-found', 'damage-stays', 'published-damaged']);
const COMMON = new Set(['type', 'node', 'timeMs', 'cause', 'run', 'dataset']);
const isBad = event => BAD.has(event.type) || event.type === 'run-over' && event.fault !== undefined
  || event.type === 'heal-stopped' && event.fault !== 'BUSY';
const laneOf = event => isBad(event) ? 'bad' : /^flush/.test(event.type) ? 'flush' : /^(restart|restored|fetch|heal-|protection-|run-)/.test(event.type) ? 'restart'
  : /^(phase|dataset)/.test(event.type) ? 'phase' : '';

function eventWord(name, value) {
  if (value && typeof value === 'object') {
    return value.doneBytes !== undefined ? (value.totalBytes ? Math.floor(100 * value.doneBytes / value.totalBytes) : 100) + ' % of ' + bytes(value.totalBytes)
      + (value.bytesPerSecond ? ', ' + bytes(value.bytesPerSecond) + '/s' : '') : Object.entries(value).map(([n, v]) => eventWord(n, v)).join(', ');
  }
  return name === 'bytes' ? bytes(value) : name.endsWith('Us') ? name.slice(0, -2) + ' ' + duration(value / 1e6)
    : value === true ? name : value === false ? 'not ' + name : name + ' ' + value;
}

function eventText(event) {
  const words = [];
  if (event.dataset) {
    words.push('dataset ' + event.dataset);
  }
  Object.entries(event).filter(([name]) => !COMMON.has(name)).forEach(([name, value]) => words.push(eventWord(name, value)));
  return words.join(', ') + (event.cause ? (words.length ? ': ' : '') + event.cause : '');
}

function took(event) {
  const extent = event.extent || {};
  return (extent.phaseUs || event.flushUs || event.restoreUs || event.protectionUs || event.repairUs || event.healUs || 0) / 1000;
}

function happened(events) {
  for (const event of events) {
    if (event.type.endsWith('-progress')) {
      state.events = state.events.filter(old => old.type !== event.type || old.dataset !== event.dataset || old.node !== event.node);
      const flush = event.type === 'flush-progress' && state.picture && state.picture.status.flushes.find(one => one.datasetId === event.dataset);
      if (flush && event.timeMs > state.picture.timeMs) {
        flush.amount = {doneBytes: event.copied.doneBytes, totalBytes: event.copied.totalBytes, bytesPerSecond: event.copied.bytesPerSecond};
        flush.remainingMs = event.copied.remainingMs;
      }
    }
    state.events.push(event);
  }
  state.events.sort((a, b) => a.timeMs - b.timeMs);
  state.events.splice(0, state.events.length - 500);
}

function drawTimeline() {
  const kind = $('kinds').value;
  const shown = state.events.filter(event => kind === 'all' || laneOf(event) === kind);
  part('events', [shown.length, shown.at(-1), kind], () => $('events').replaceChildren(...shown.slice(-200).reverse().map(event =>
    el('li', {class: isBad(event) ? 'bad' : GOOD.has(event.type) ? 'good' : '', 'data-type': event.type},
      el('time', {datetime: new Date(event.timeMs).toISOString()}, clock(event.timeMs)), el('b', {}, event.type), event.node + ' ' + eventText(event)))));
  drawLanes();
}

function drawLanes() {
  const spanMs = Number($('span').value) * 1000;
  const now = Date.now();
  const lanes = [['phase', 'phases'], ['flush', 'flushes'], ['restart', 'runs, restarts'], ['bad', 'losses, failures']];
  const width = Math.max(300, $('lanes').clientWidth || 800);
  const left = 96;
  const svg = (tag, attributes, ...children) => {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    element.append(...children);
    return element;
  };
  const x = ms => left + (width - left - 4) * Math.max(0, 1 - (now - ms) / spanMs);
  const drawn = svg('svg', {viewBox: '0 0 ' + width + ' 131', preserveAspectRatio: 'none', focusable: 'false'});
  lanes.forEach(([lane, label], i) => {
    const y = 6 + i * 28;
    drawn.append(svg('text', {x: 0, y: y + 14}, label), svg('line', {class: 'lane', x1: left, x2: width, y1: y + 22, y2: y + 22}));
    state.events.filter(event => laneOf(event) === lane && now - event.timeMs < spanMs && !/-(started|progress)$/.test(event.type)).forEach(event => {
      const from = x(event.timeMs - took(event));
      drawn.append(svg('rect', {class: lane, x: from, y, width: Math.max(3, x(event.timeMs) - from), height: 18, rx: 2},
        svg('title', {}, printable(clock(event.timeMs) + ' ' + event.type + ' ' + eventText(event)))));
    });
  });
  drawn.append(svg('text', {x: left, y: 128}, duration(spanMs / 1000) + ' ago'), svg('text', {x: width - 4, y: 128, 'text-anchor': 'end'}, 'now'));
  $('lanes').replaceChildren(drawn);
}

// ---- the daemon ----

function request(path, options = {}) {
  const headers = {...(options.headers || {})};
  if (state.token) {
    headers.Authorization = 'Bearer ' + state.token;
  }
  return fetch(path, {...options, headers, cache: 'no-store', credentials: 'omit'});
}

function say(mood, text) {
  const live = $('live');
  if (live.textContent !== text) {
    live.className = mood;
    live.textContent = text;
  }
}

function received(type, data) {
  if (type === 'picture') {
    const before = state.picture ? state.picture.status.nodes : [];
    state.picture = JSON.parse(data);
    forget(before.filter(node => !state.picture.status.nodes.includes(node)));
    happened([]);
    draw();
  } else if (type === 'events') {
    happened(JSON.parse(data));
    if (state.picture) {
      draw();
    }
    drawTimeline();
  }
}

/** Server-sent events by fetch, because EventSource can send no header, and a token does not belong in an address. */
async function listen() {
  const abort = new AbortController();
  state.connection = abort;
  const response = await request('/dashboard/live', {signal: abort.signal});
  if (!response.ok) {
    throw Object.assign(new Error((await response.text()).trim()), {status: response.status});
  }
  say('on', 'live');
  learnAccess().catch(() => {});
  state.last = Date.now();
  state.events = [];
  state.drawn.events = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const {value, done} = await reader.read();
    if (done) {
      throw new Error('the daemon has closed the connection');
    }
    state.last = Date.now();
    rest += value;
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, end).split('\n');
      rest = rest.slice(end + 2);
      const field = name => lines.filter(line => line.startsWith(name + ': ')).map(line => line.slice(name.length + 2)).join('\n');
      received(field('event'), field('data'));
    }
  }
}

let attempts = 0;
let again = 0;
let connections = 0;

function connect() {
  clearTimeout(again);
  if (state.connection) {
    state.connection.abort();
  }
  const mine = ++connections;
  const began = Date.now();
  listen().catch(failure => {
    if (mine !== connections) {
      return;
    }
    attempts = Date.now() - began > 20000 ? 0 : attempts + 1;
    if (failure.status === 401) {
      say('off', state.token ? 'the token is not the one of this daemon' : 'this daemon asks for a token');
      openToken(true);
      return;
    }
    say('off', (state.picture ? 'not live since ' + clock(state.last) + ': ' : '') + printable(failure.message));
    again = setTimeout(connect, Math.min(15000, 500 * 2 ** Math.min(attempts, 5)));
  });
}

function openToken(open) {
  $('token-panel').hidden = !open;
  $('token-button').setAttribute('aria-expanded', String(open));
  if (open) {
    $('token').focus();
  }
}

// ---- begin ----

function theme(next) {
  const themes = ['auto', 'light', 'dark'];
  let now = 'auto';
  try {
    now = localStorage.getItem('theme') || 'auto';
    if (next) {
      now = themes[(themes.indexOf(now) + 1) % 3];
      localStorage.setItem('theme', now);
    }
  } catch (_) {
    // Without storage the theme is that of the system.
  }
  document.documentElement.dataset.theme = now;
  $('theme').textContent = 'Theme: ' + now;
}

$('theme').addEventListener('click', () => theme(true));
$('token-button').addEventListener('click', () => openToken($('token-panel').hidden));
$('token-panel').addEventListener('submit', event => {
  event.preventDefault();
  state.token = $('token').value.trim();
  $('token').value = '';
  openToken(false);
  attempts = 0;
  connect();
});
$('map').addEventListener('click', event => {
  const cell = event.target.closest('.cell');
  if (cell) {
    state.focused = cell.dataset.node;
    rove(false);
    select(cell.dataset.node);
  }
});
$('map').addEventListener('keydown', event => {
  const from = event.target.closest('.cell');
  const to = from && moved(event.key, from);
  if (to) {
    event.preventDefault();
    state.focused = to.dataset.node;
    rove(true);
  }
});
for (const type of ['mouseover', 'focusin']) {
  $('map').addEventListener(type, event => {
    const cell = event.target.closest('.cell');
    $('pointed').textContent = cell ? cell.title : '\u00a0';
  });
}
$('ask').addEventListener('submit', event => {
  event.preventDefault();
  state.selected = $('ask-node').value.split(',').map(name => name.trim()).filter(name => name);
  markSelected();
  ask(state.selected);
});
$('halt').addEventListener('click', () => confirmed('Halt the run?',
  'It stops at its next should-exit, behind a last checkpoint, and no other run begins before scr halt --remove.', {action: 'halt'}));
$('confirm-no').addEventListener('click', () => $('confirm').close());
$('confirm-yes').addEventListener('click', act);
$('group-by').addEventListener('change', () => state.picture && drawMap());
$('span').addEventListener('change', drawLanes);
$('kinds').addEventListener('change', drawTimeline);
setInterval(() => {
  if (state.picture && !document.hidden) {
    drawLanes();
  }
  if (Date.now() - state.last > 20000 && $('live').className === 'on') {
    say('off', 'no word from the daemon since ' + clock(state.last));
    connect();
  }
}, 5000);
theme(false);
connect();
