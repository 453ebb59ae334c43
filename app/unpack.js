// Fetches a module, and puts it together where `cargo xtask build` took it apart; the tables are those of xtask/src/pack/streams.rs.

const [FRAME, OPERATORS, DECLARATIONS, OTHERS, LOCALS] = [0, 1, 2, 3, 4];
const [BLOCKS, BRANCHES, TABLES, CALLS, LONGS, LOADS, STORES, INTEGERS] = [7, 8, 9, 10, 11, 12, 13, 14];
const FOLLOWERS = [0x6a, 0x6b, 0x41, 0x10, 0x36, 0x71, 0x20];
const NATURAL = "23230011001122232301012";

// A released page carries its modules taken apart, each inside one that does nothing.
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${response.status}: ${url}`);
  const outer = await WebAssembly.compile(await response.arrayBuffer());
  const [packed] = WebAssembly.Module.customSections(outer, "packed");
  return packed ? WebAssembly.compile(unpack(new Uint8Array(packed))) : outer;
}

export function unpack(packed) {
  let at = 0;
  const header = () => {
    let number = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = packed[at++];
      number += (byte & 127) << shift;
      if (byte < 128) return number;
    }
  };
  const [total, before, functions] = [header(), header(), header()];
  const sizes = Array.from({ length: INTEGERS + 1 + FOLLOWERS.length }, header);
  const streams = sizes.map((size) => packed.subarray(at, (at += size)));
  const places = sizes.map(() => 0);
  const operators = streams[OPERATORS];
  const module = new Uint8Array(total);
  let [next, end] = [0, before];

  const put = (number) => {
    for (; number > 127; number >>>= 7) module[end++] = (number & 127) | 128;
    module[end++] = number;
  };
  const copy = (stream, bytes) => {
    while (bytes--) module[end++] = streams[stream][places[stream]++];
  };
  // Copies numbers, and says the last.
  const numbers = (stream, count = 1) => {
    const from = streams[stream];
    let [number, at] = [0, places[stream]];
    while (count--) {
      number = module[end++] = from[at++];
      if (number < 128) continue;
      number &= 127;
      for (let [shift, byte] = [7, 128]; byte > 127; shift += 7) {
        byte = module[end++] = from[at++];
        number |= (byte & 127) << shift;
      }
    }
    places[stream] = at;
    return number;
  };
  // Reads a number without copying it.
  const number = (stream) => {
    const start = end;
    const read = numbers(stream);
    end = start;
    return read;
  };

  const operation = (recent) => {
    const isUnaligned = operators[next] === 255;
    if (isUnaligned) next += 1;
    const operator = (module[end++] = operators[next++]);
    if (operator >= 0x20 && operator <= 0x22) {
      let rank = number(LOCALS + operator - 0x20);
      while (recent.length <= rank) recent.push(recent.length);
      const local = recent[rank];
      for (; rank > 0; rank -= 1) recent[rank] = recent[rank - 1];
      recent[0] = local;
      put(local);
    } else if (operator >= 0x28 && operator <= 0x3e) {
      put(isUnaligned ? number(OTHERS) : Number(NATURAL[operator - 0x28]));
      numbers(operator < 0x36 ? LOADS : STORES);
    } else if (operator === 0x41) numbers(INTEGERS + 1 + FOLLOWERS.indexOf(operators[next]));
    else if (operator === 0x42) numbers(LONGS);
    else if (operator === 0x10) numbers(CALLS);
    else if (operator >= 2 && operator <= 4) numbers(BLOCKS);
    else if (operator === 0x0c || operator === 0x0d) numbers(BRANCHES);
    else if (operator === 0x0e) numbers(TABLES, numbers(TABLES) + 1);
    else if (operator === 0x11) numbers(OTHERS, 2);
    else if (operator === 0x1c) numbers(OTHERS, numbers(OTHERS));
    else if (operator === 0x43) copy(OTHERS, 4);
    else if (operator === 0x44) copy(OTHERS, 8);
    else if (operator === 0xfc) {
      const wide = numbers(OTHERS);
      numbers(OTHERS, wide < 8 ? 0 : wide < 15 && wide % 2 === 0 ? 2 : 1);
    } else if ((operator >= 0x23 && operator <= 0x26) || [0x3f, 0x40, 0xd0, 0xd2].includes(operator)) numbers(OTHERS);
    return operator;
  };

  module.set(streams[FRAME].subarray(0, before));
  for (let left = functions; left > 0; left -= 1) {
    const start = end;
    // Its size is known behind it.
    end += 3;
    for (let groups = numbers(DECLARATIONS); groups > 0; groups -= 1) {
      numbers(DECLARATIONS);
      copy(DECLARATIONS, 1);
    }
    const recent = [];
    for (let depth = 1; depth > 0; ) {
      const operator = operation(recent);
      if (operator >= 2 && operator <= 4) depth += 1;
      if (operator === 0x0b) depth -= 1;
    }
    const size = end - start - 3;
    module.set([(size & 127) | 128, ((size >> 7) & 127) | 128, size >> 14], start);
  }
  module.set(streams[FRAME].subarray(before), end);
  return module;
}
