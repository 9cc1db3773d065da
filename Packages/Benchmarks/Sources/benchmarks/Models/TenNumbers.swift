import ModelCore
import Observation
import OpenCombine

/// A model with ten fields.
final class TenNumbers: Model {
  let a = Field<Int>()
  let b = Field<Int>()
  let c = Field<Int>()
  let d = Field<Int>()
  let e = Field<Int>()
  let f = Field<Int>()
  let g = Field<Int>()
  let h = Field<Int>()
  let i = Field<Int>()
  let j = Field<Int>()
}

/// The same class with ordinary properties.
final class TenProperties: Model {
  @Field var a: Int?
  @Field var b: Int?
  @Field var c: Int?
  @Field var d: Int?
  @Field var e: Int?
  @Field var f: Int?
  @Field var g: Int?
  @Field var h: Int?
  @Field var i: Int?
  @Field var j: Int?
}

/// Ten properties, and another that is not optional.
final class ElevenProperties: Model {
  @Field var a: Int?
  @Field var b: Int?
  @Field var c: Int?
  @Field var d: Int?
  @Field var e: Int?
  @Field var f: Int?
  @Field var g: Int?
  @Field var h: Int?
  @Field var i: Int?
  @Field var j: Int?
  @Required var k = 0
}

/// The same class with subjects.
final class TenSubjects {
  let a = CurrentValueSubject<Int?, Never>(nil)
  let b = CurrentValueSubject<Int?, Never>(nil)
  let c = CurrentValueSubject<Int?, Never>(nil)
  let d = CurrentValueSubject<Int?, Never>(nil)
  let e = CurrentValueSubject<Int?, Never>(nil)
  let f = CurrentValueSubject<Int?, Never>(nil)
  let g = CurrentValueSubject<Int?, Never>(nil)
  let h = CurrentValueSubject<Int?, Never>(nil)
  let i = CurrentValueSubject<Int?, Never>(nil)
  let j = CurrentValueSubject<Int?, Never>(nil)
}

/// The same class with the macro: one object, whose properties can't be observed separately.
@Observable
final class TenObserved {
  var a: Int?
  var b: Int?
  var c: Int?
  var d: Int?
  var e: Int?
  var f: Int?
  var g: Int?
  var h: Int?
  var i: Int?
  var j: Int?
}
