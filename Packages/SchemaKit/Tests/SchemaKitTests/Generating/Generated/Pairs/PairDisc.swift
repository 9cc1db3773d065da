import SchemaKit

/// The entity Disc of a model file.
///
/// Its fields are in PairDisc+Generated.swift. This file is never written again.
class PairDisc: PairDiscFields {}
