// Draws what comes as JSON lines on xterm.js headless, and writes what is then on the screen as JSON lines.
// In: {cols, rows, history, steps: [{w: base64} or {r: [cols, rows]}]}.
// Out: {rows: [{wrapped, cells: [[text, width, fg, bg, attributes]]}], cursor: [x, y], history: [text], replies, alternate}.
const {Terminal} = require('@xterm/headless');
const {Unicode11Addon} = require('@xterm/addon-unicode11');

function colour(isDefault, isRGB, n) {
  return isDefault ? '' : (isRGB ? '#' + n.toString(16).padStart(6, '0') : String(n));
}

function describe(cell) {
  let a = '';
  for (const [name, on] of [['bold', cell.isBold()], ['faint', cell.isDim()], ['italic', cell.isItalic()],
    ['underline', cell.isUnderline()], ['blink', cell.isBlink()], ['reverse', cell.isInverse()],
    ['invisible', cell.isInvisible()], ['strike', cell.isStrikethrough()], ['overline', cell.isOverline()]]) {
    if (on) a += name + ' ';
  }
  return [cell.getChars(), cell.getWidth(), colour(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    colour(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()), a.trim()];
}

let fail = () => {};
process.on('uncaughtException', e => fail(e)); // it parses in a timer

async function draw(job) {
  const term = new Terminal({cols: job.cols, rows: job.rows, scrollback: job.history, allowProposedApi: true});
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = '11';
  let replies = '';
  term.onData(d => { replies += d; });
  for (const s of job.steps) {
    if (s.r) term.resize(s.r[0], s.r[1]);
    else {
      await new Promise((done, failed) => {
        fail = failed;
        term.write(Buffer.from(s.w, 'base64'), done);
      });
    }
  }
  const b = term.buffer.active;
  const rows = [];
  for (let y = 0; y < term.rows; y++) {
    const line = b.getLine(b.baseY + y);
    const cells = [];
    for (let x = 0; x < term.cols; x++) {
      const c = line.getCell(x);
      cells.push(c ? describe(c) : ['', 1, '', '', '']);
    }
    rows.push({wrapped: line.isWrapped, cells});
  }
  const history = [];
  for (let y = 0; y < b.baseY; y++) history.push(b.getLine(y).translateToString(true));
  const out = {rows, cursor: [Math.min(b.cursorX, term.cols - 1), b.cursorY], history, replies, alternate: b.type === 'alternate'};
  term.dispose();
  return out;
}

(async () => {
  for await (const line of require('readline').createInterface({input: process.stdin})) {
    let out;
    try {
      out = await draw(JSON.parse(line));
    } catch (e) {
      out = {error: String(e)};
    }
    process.stdout.write(JSON.stringify(out) + '\n');
  }
})();
