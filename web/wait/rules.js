// Pure rules: no page, no clock, no network. The tests run this block alone.

// How many stand ahead of `order` in `line`, from the frame that is the same for everybody: exact
// for the first 1 000, then the middle of what is possible between two marks.
function aheadFrom(pulse, line, order) {
  let ahead = 0;
  for (const other of pulse.lines) {
    if (other.line < line) ahead += other.count;
    if (other.line === line) ahead += rankInLine(other, order);
  }
  return ahead;
}

function nextMark(rank, count) { return Math.min(count, rank + Math.max(1, Math.floor(rank / 50))); }

function rankInLine(line, order) {
  if (order <= line.first) return 0;
  let at = line.first;
  const marks = line.marks.map(delta => at += delta);
  if (!marks.length || order <= marks[0]) return Math.min(rankInRuns(line, order), line.count);
  let rank = 1000;
  for (let i = 0; i + 1 < marks.length; i++) {
    const endRank = nextMark(rank, line.count);
    if (order >= marks[i + 1]) { rank = endRank; continue; }
    const live = endRank - rank;
    const least = Math.max(0, live - (marks[i + 1] - order));
    const most = Math.min(live, order - marks[i]);
    return rank + Math.floor((Math.min(least, most) + most) / 2);
  }
  return line.count;
}

function rankInRuns(line, order) {
  let rank = 0, at = line.first;
  for (let i = 0; i < line.runs.length && at < order; i++) {
    if (i % 2 === 0) rank += Math.min(line.runs[i], order - at);
    at += line.runs[i];
  }
  return rank;
}

// Whether a waiting visitor's order can still be in the line that the frame describes.
function isInLine(pulse, line, order) {
  return pulse.lines.some(other => other.line === line && other.count > 0 && order >= other.first);
}

// The frame's wait for `ahead` people: {p50, p90}, or null when it is not known.
function waitFrom(points, ahead) {
  if (!points || !points.length) return null;
  let before = points[0];
  if (ahead <= before[0]) return { p50: before[1], p90: before[2] };
  for (const after of points) {
    if (ahead <= after[0]) {
      const share = (ahead - before[0]) / (after[0] - before[0]);
      const between = i => before[i] + share * (after[i] - before[i]);
      return { p50: between(1), p90: between(2) };
    }
    before = after;
  }
  const more = ahead / before[0];           // Behind the last sample: longer, in proportion.
  return Number.isFinite(more) ? { p50: before[1] * more, p90: before[2] * more } : null;
}

function pollFrom(policy, ahead) {
  for (const [upTo, seconds] of policy || [[1000, 2], [5000, 5], [20000, 10]]) if (upTo === null || ahead <= upTo) return seconds;
  return 20;
}

// The seconds that a server advises, within bounds; the usual ones where it advises nothing.
function pollAfter(advised, usual, most) { return advised > 0 ? Math.min(most, Math.max(1, advised)) : usual; }

function waitOf(seconds) { return Number.isFinite(seconds) ? { p50: seconds, p90: seconds } : null; }

// A wait in words that people use: whole minutes, then steps of five, then half hours. The lower
// end is the median rounded, the upper end the 90th percentile rounded up.
function waitInWords(wait) {
  if (!wait) return { key: "eta_unknown" };
  const minutes = wait.p90 / 60;
  if (minutes < 1) return { key: "eta_soon" };
  const step = minutes <= 20 ? 1 : minutes <= 90 ? 5 : 30;
  const unit = step === 30 ? "hours" : "minutes", size = step === 30 ? 60 : 1;
  const high = Math.ceil(minutes / step) * step / size;
  const low = Math.min(high, Math.max(step, Math.round(wait.p50 / 60 / step) * step) / size);
  if (low < high) return { key: `eta_${unit}_range`, low, high };
  return high === 1 ? { key: "eta_minute", high } : { key: `eta_${unit}`, high };
}

// A promise of so many seconds in a unit that people use: never more than is true.
function spanInWords(seconds) {
  if (seconds === 1 || seconds === 60) return { key: seconds === 1 ? "span_second" : "span_minute", n: 1 };
  if (seconds < 120) return { key: "span_seconds", n: seconds };
  if (seconds < 7200) return { key: "span_minutes", n: Math.floor(seconds / 60) };
  return { key: "span_hours", n: Math.floor(seconds / 3600) };
}

// How many seconds after a sign of life a visitor counts as present who was told to ask again in `told`.
function presenceOf(told) { return Math.max(10, 3 * (told || 0)); }

// The operator's address if a browser may go there: a path of this site or a web address.
function safeTarget(target) {
  return typeof target === "string" && /^(\/(?![/\\])|https?:\/\/)/i.test(target) ? target : null;
}

function chooseLanguage(available, wanted) {
  for (const tag of wanted) {
    const base = String(tag).toLowerCase().split("-")[0];
    if (available.includes(base)) return base;
  }
  return "en";
}
