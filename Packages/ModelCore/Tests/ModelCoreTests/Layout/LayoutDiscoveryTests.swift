import Testing

@_spi(ModelKitInternals) @testable import ModelCore

private class Vehicle: Model {
  let id = Field<Int>()
  private let secret = Field<String>()
  let wheels = Field<Int>()
  let note = "no field"
  override var identifierField: AnyField? { id }
}

private class Car: Vehicle {
  let doors = Field<Int>()
}

private final class Cabriolet: Car {
  let roof = Field<String>()
}

private final class Bicycle: Vehicle {
  let gears = Field<Int>()
}

/// A private field with the name of a private field of the superclass.
private class Document: Model {
  private let state = Field<Int>(key: "documentState")
}

private final class Invoice: Document {
  private let state = Field<String>(key: "invoiceState")
}

private final class Box<Content>: Model {
  let content = Field<Content>()
  let label = Field<String>()
}

private enum Outer<Content> {
  final class Inner: Model {
    let content = Field<Content>()
  }
}

private final class Shown: Model {
  let title = Field<String>()
  let count = Field<Int>()
  var customMirror: Mirror { Mirror(self, children: ["title": 1, "other": Field<Int>()]) }
}

private final class SlugField: Field<String> {}

private final class Page: Model {
  let slug = SlugField()
  let base: AnyField = Field<Int>()
}

private final class Empty: Model {}

private func localModel() -> ModelObject {
  final class Local: Model {}
  return Local()
}

@Suite struct `The layout of a model class` {
  @Test func `The layout of a model class lists the fields in the order of their declaration, superclasses first`() {
    #expect(Cabriolet.fieldKeys == ["id", "secret", "wheels", "doors", "roof"])
    #expect(Car.fieldKeys == ["id", "secret", "wheels", "doors"])
    #expect(Empty.fieldKeys == [])
  }

  @Test func `The layout of a model class gives an inherited field the same index in every subclass`() {
    let models = [Vehicle(), Car(), Cabriolet(), Bicycle()]
    #expect(models.map(\.id.layoutIndex) == [0, 0, 0, 0])
    #expect(models.map(\.wheels.layoutIndex) == [2, 2, 2, 2])
    #expect(models.map(\.layout.identifierIndex) == [0, 0, 0, 0])
  }

  @Test func `The layout of a model class is proven for every ordinary class, and built once`() {
    #expect(Cabriolet().layout.isProven == LayoutCache.isOn)
    #expect(Cabriolet().layout === Cabriolet().layout)
    #expect(Cabriolet().layout !== Car().layout)
  }

  @Test func `The layout of a model class distinguishes private fields of the same name in a hierarchy`() {
    let invoice = Invoice()
    #expect(invoice.layout.isProven == LayoutCache.isOn)
    #expect(invoice.fields.compactMap(\.key) == ["documentState", "invoiceState"])
    #expect(invoice.fields.allSatisfy { $0.owner === invoice })
  }

  @Test func `The layout of a model class is found for each specialisation of a generic class`() {
    let number = Box<Int>()
    let text = Box<String>()
    #expect(number.layout !== text.layout)
    #expect(number.content.key == "content")
    #expect(text.content.owner === text)
    #expect(Box<Box<Int>>.fieldKeys == ["content", "label"])
  }

  @Test func `The layout of a model class is found for classes inside generic types and inside functions`() {
    final class Local: Model {
      let title = Field<String>()
    }
    #expect(Outer<Int>.Inner.fieldKeys == ["content"])
    #expect(Local.fieldKeys == ["title"])
    let local = Local()
    #expect(local.title.owner === local)
  }

  @Test func `The layout of a model class does not depend on a custom mirror`() {
    let shown = Shown()
    #expect(shown.fields.count == 2)
    #expect(shown.count.key == "count")
    #expect(shown.title.owner === shown)
    #expect(shown.layout.isProven == LayoutCache.isOn)
  }

  @Test func `The layout of a model class includes subclasses of fields, and constants of their superclass`() {
    let page = Page()
    #expect(Page.fieldKeys == ["slug", "base"])
    #expect(page.slug.owner === page)
    #expect(page.base.owner === page)
  }

  @Test func `The layout of a model class sorts fields with a priority before the others, small numbers first`() {
    final class Form: Model {
      let third = Field<Int>()
      let second = Field<Int>(priority: 2)
      let fourth = Field<Int>()
      let first = Field<Int>(priority: 1)
    }
    #expect(Form.fieldKeys == ["first", "second", "third", "fourth"])
  }

  @Test func `The layout of a model class numbers fields without priority from 1,000 on`() {
    final class Form: Model {
      let middle = Field<Int>()
      let last = Field<Int>(priority: 5_000)
      let first = Field<Int>(priority: 1)
    }
    #expect(Form.fieldKeys == ["first", "middle", "last"])
  }

  @Test func `The name of a hierarchy in stores is that of its topmost class, without the module`() {
    #expect(Circle.typeName == "Shape")
    #expect(Shape.typeName == "Shape")
    #expect(Vehicle.typeName == "Vehicle")
    #expect(type(of: localModel()).typeName == "Local")
    #expect(Circle.formerTypeName == "ModelCoreTests.Shape")
  }
}
