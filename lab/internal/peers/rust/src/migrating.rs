//! A fleet of ships in a SlotMap, which docs/migrating.md shows beside the same in Go. Nothing runs
//! it but its test.
#![allow(dead_code)]

use slotmap::{DefaultKey, SlotMap};

pub struct Ship {
    pub hull: i64,
    pub x: i64,
    pub speed: i64,
}

#[derive(Default)]
pub struct Fleet {
    ships: SlotMap<DefaultKey, Ship>,
}

impl Fleet {
    pub fn launch(&mut self, s: Ship) -> DefaultKey {
        self.ships.insert(s)
    }

    pub fn hit(&mut self, key: DefaultKey, damage: i64) -> bool {
        let Some(s) = self.ships.get_mut(key) else {
            return false;
        };
        s.hull -= damage;
        true
    }

    pub fn step(&mut self) -> usize {
        let before = self.ships.len();
        self.ships.retain(|_, s| {
            s.x += s.speed;
            s.hull > 0
        });
        before - self.ships.len()
    }

    pub fn sum(&self) -> i64 {
        self.ships.values().map(|s| s.x).sum()
    }
}

#[test]
fn fleet() {
    let ship = |speed| Ship { hull: 2, x: 0, speed };
    let mut f = Fleet::default();
    let (a, b) = (f.launch(ship(3)), f.launch(ship(5)));
    assert!(f.hit(a, 2) && f.hit(b, 1));
    assert_eq!((f.step(), f.sum()), (1, 5));
    f.launch(ship(7)); // in the slot of a
    assert!(!f.hit(a, 1));
    assert_eq!((f.step(), f.sum()), (0, 17));
}
