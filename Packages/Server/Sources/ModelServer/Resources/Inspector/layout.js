// The positions of the boxes in the diagram: columns by distance from the type with the most relations.

export const rowHeight = 22;
export const headHeight = 34;
const boxWidth = 300;
const gap = [120, 40];

export function boxSize(type) {
  return { width: boxWidth, height: headHeight + rowHeight * (type.fields.length + type.relations.length) + 12 };
}

/** Returns the box of each type. */
export function arranged(types) {
  const neighbours = new Map(types.map((type) => [type, new Set()]));
  for (const type of types) {
    for (const relation of type.relations) {
      const other = type.schema.type(relation.to);
      if (!other || other === type) continue;
      neighbours.get(type).add(other);
      neighbours.get(other).add(type);
    }
  }
  const boxes = new Map();
  const open = new Set(types);
  let top = 24;
  while (open.size > 0) {
    // An end of a chain comes first, so that lines go between neighbouring columns.
    const first = [...open].reduce((best, type) => (rank(type) < rank(best) ? type : best));
    const columns = columnsFrom(first, neighbours, open);
    const isLonely = columns.length === 1;
    top = place(
      isLonely
        ? inGrid([
          first,
          ...[...open].filter((type) => neighbours.get(type).size === 0),
        ])
        : columns,
      boxes,
      top,
      open,
    ) + gap[1];
  }
  return boxes;

  function rank(type) {
    const count = neighbours.get(type).size;
    return count === 0 ? Infinity : count;
  }
}

function columnsFrom(first, neighbours, open) {
  const columns = [];
  let current = [first];
  const seen = new Set(current);
  while (current.length > 0) {
    columns.push(current);
    const next = [];
    for (const type of current) {
      for (const other of neighbours.get(type)) {
        if (seen.has(other) || !open.has(other)) continue;
        seen.add(other);
        next.push(other);
      }
    }
    current = next;
  }
  return columns;
}

function inGrid(types) {
  const columns = [[], [], []];
  [...new Set(types)].forEach((type, index) => columns[index % 3].push(type));
  return columns;
}

function place(columns, boxes, top, open) {
  const heights = columns.map((column) => column.reduce((sum, type) => sum + boxSize(type).height + gap[1], -gap[1]));
  const height = Math.max(...heights);
  columns.forEach((column, index) => {
    let y = top + (height - heights[index]) / 2;
    for (const type of column) {
      const size = boxSize(type);
      boxes.set(type, { x: 24 + index * (boxWidth + gap[0]), y, ...size });
      y += size.height + gap[1];
      open.delete(type);
    }
  });
  return top + height;
}

/** Returns the line between the rows of a relation and its inverse, and its middle. */
export function curve(from, fromType, relation, to, toType, inverse) {
  const row = (type, each) =>
    headHeight + rowHeight * ((each ? type.fields.length + type.relations.indexOf(each) : -0.75) + 0.5) + 4;
  const start = [0, from.y + row(fromType, fromType.relations.find((each) => each.key === relation.key))];
  const end = [0, to.y + row(toType, inverse)];
  const isRight = to.x > from.x;
  // Lines within a column bend at its right side.
  const isBeside = to.x === from.x;
  start[0] = isRight || isBeside ? from.x + from.width : from.x;
  end[0] = isRight ? to.x : to.x + to.width;
  const bend = isBeside ? 70 : Math.max(50, Math.abs(end[0] - start[0]) / 2);
  const first = start[0] + (isRight || isBeside ? bend : -bend);
  const second = end[0] + (isBeside || !isRight ? bend : -bend);
  return {
    path: `M${start[0]} ${start[1]}C${first} ${start[1]} ${second} ${end[1]} ${end[0]} ${end[1]}`,
    middle: [(start[0] + 3 * first + 3 * second + end[0]) / 8, (start[1] + end[1]) / 2],
  };
}
