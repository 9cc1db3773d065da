import SchemaKit

/// The entity Figure of a model file.
///
/// Its fields are in PairFigure+Generated.swift. This file is never written again.
class PairFigure: PairFigureFields {}
