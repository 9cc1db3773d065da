/// Groups from the left, so that `a --> b --> c` binds `a` to `b` and `b` to `c`.
precedencegroup ObservationPrecedence {
  associativity: left
  lowerThan: TernaryPrecedence
  higherThan: AssignmentPrecedence
}

infix operator --> : ObservationPrecedence
infix operator <-- : ObservationPrecedence
infix operator <--> : ObservationPrecedence
infix operator -/-> : ObservationPrecedence
