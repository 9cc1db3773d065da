import SchemaKit

/// The entity Tile of a model file.
///
/// Its fields are in PairTile+Generated.swift. This file is never written again.
final class PairTile: PairTileFields {}
