//! Signals, memos and effects that are one piece of code whatever they hold.
//!
//! Leptos compiles its machinery anew for every type that a signal or memo holds and for every closure of an effect: for the
//! dozens of this page some hundred kilobytes. Here the value stands behind an `Arc` of no particular type, with its own
//! equality, so that there is one kind of signal, one of memo, one of effect.

use leptos::prelude::*;
use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::sync::Arc;

/// What can be held.
pub trait Value: PartialEq + Send + Sync + 'static {}

impl<T: PartialEq + Send + Sync + 'static> Value for T {}

/// A value of any type, with the equality of its own type.
#[derive(Clone)]
struct Erased {
    value: Arc<dyn Any + Send + Sync>,
    is_equal: fn(&dyn Any, &dyn Any) -> bool,
}

impl Erased {
    fn new<T: Value>(value: T) -> Self {
        Self { value: Arc::new(value), is_equal: is_equal::<T> }
    }

    fn read<T: 'static>(&self) -> &T {
        as_type(&*self.value)
    }
}

/// # Panics
/// Never: an erased value is only read by the signal or memo that made it, whose type is its own.
// The number of a type is sixteen random bytes, which stand here alone.
#[inline(never)]
fn as_type<T: 'static>(value: &dyn Any) -> &T {
    value.downcast_ref().expect("a signal holds one type")
}

impl PartialEq for Erased {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value) || (self.is_equal)(&*self.value, &*other.value)
    }
}

fn is_equal<T: Value>(one: &dyn Any, other: &dyn Any) -> bool {
    as_type::<T>(one) == as_type::<T>(other)
}

/// A value that is set; who reads it follows it.
pub struct Held<T>(RwSignal<Erased>, PhantomData<fn() -> T>);

/// A value that follows from others; an equal one is no change.
pub struct Derived<T>(Memo<Erased>, PhantomData<fn() -> T>);

macro_rules! copied {
    ($($kind:ident)*) => {$(
        impl<T> Clone for $kind<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $kind<T> {}

        impl<T> Debug for $kind<T> {
            fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
                formatter.write_str(stringify!($kind))
            }
        }

        impl<T: Value> $kind<T> {
            /// Reads the value, and follows it.
            pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
                read(self.0.followed().read())
            }

            /// Reads the value as it is now.
            pub fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
                read(self.0.present().read())
            }
        }

        impl<T: Value + Clone> $kind<T> {
            /// The value, followed.
            pub fn get(self) -> T {
                self.with(T::clone)
            }

            /// The value as it is now.
            pub fn get_untracked(self) -> T {
                self.with_untracked(T::clone)
            }
        }

    )*};
}

copied!(Held Derived);

/// Where an erased value is read from: one piece of code for each of the two kinds.
trait Source: Copy {
    fn followed(self) -> Erased;
    fn present(self) -> Erased;
}

impl Source for RwSignal<Erased> {
    #[inline(never)]
    fn followed(self) -> Erased {
        self.get()
    }

    #[inline(never)]
    fn present(self) -> Erased {
        self.get_untracked()
    }
}

impl Source for Memo<Erased> {
    #[inline(never)]
    fn followed(self) -> Erased {
        self.get()
    }

    #[inline(never)]
    fn present(self) -> Erased {
        self.get_untracked()
    }
}

impl<T: Value> Held<T> {
    /// Begins with a value.
    pub fn new(value: T) -> Self {
        Self(signal_of(Erased::new(value)), PhantomData)
    }

    /// Sets the value; an equal one is no change.
    pub fn set(self, value: T) {
        set_signal(self.0, Erased::new(value));
    }
}

impl<T: Value + Clone> Held<T> {
    /// Changes the value.
    pub fn update(self, change: impl FnOnce(&mut T)) {
        let mut value = self.get_untracked();
        change(&mut value);
        self.set(value);
    }
}

impl<T: Value> Derived<T> {
    /// Follows what `compute` reads; it is given the last value.
    pub fn new(compute: impl Fn(Option<&T>) -> T + Send + Sync + 'static) -> Self {
        Self(memo_of(Box::new(move |last| Erased::new(compute(last.map(Erased::read))))), PhantomData)
    }
}

/// Runs now, and whenever what it read changed, while the caller's owner lives.
pub fn effect(run: impl FnMut() + 'static) {
    effect_of(Box::new(run));
}

#[inline(never)]
fn signal_of(value: Erased) -> RwSignal<Erased> {
    RwSignal::new(value)
}

#[inline(never)]
fn set_signal(signal: RwSignal<Erased>, value: Erased) {
    if signal.with_untracked(|present| *present != value) {
        signal.set(value);
    }
}

type Compute = dyn Fn(Option<&Erased>) -> Erased + Send + Sync;

#[inline(never)]
fn memo_of(compute: Box<Compute>) -> Memo<Erased> {
    Memo::new(compute)
}

#[inline(never)]
fn effect_of(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}

#[cfg(test)]
mod tests {
    use super::*;
    use leptos::reactive::owner::Owner;

    #[test]
    fn an_equal_value_is_no_change() {
        let owner = Owner::new();
        owner.set();
        let number = Held::new(3_i64);
        let runs = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let count = runs.clone();
        let parity = Derived::new(move |_| number.get() % 2);
        let text = Derived::new(move |last: Option<&String>| {
            count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            format!("{}{}", last.map_or("", String::as_str), parity.get())
        });
        assert_eq!(text.get_untracked(), "1");
        number.set(5);
        assert_eq!(text.get_untracked(), "1");
        number.update(|number| *number += 1);
        assert_eq!(text.get_untracked(), "10");
        assert_eq!(runs.load(std::sync::atomic::Ordering::Relaxed), 2);
    }
}
