//! A thing with a position, for the cross workloads.

/// Both cross workloads use this type; cross ignores ttl.
#[derive(Clone, Copy)]
pub struct Collider {
    pub x: i16,
    pub y: i16,
    pub hit: bool,
    pub been: bool,
    pub ttl: u8,
}

/// Replaces a pivot: it is near no collider, since positions are not negative.
pub const FAR: Collider = Collider { x: i16::MIN, y: i16::MIN, hit: false, been: false, ttl: 0 };

impl Collider {
    /// The cross rule for an ordered pair: 1 if b is less than 2 away on both axes. The differences
    /// wrap around only for FAR, and are large then; one unsigned comparison checks both sides.
    #[inline(always)]
    pub fn meet(&mut self, b: &mut Collider) -> usize {
        let close = |a: i16, b: i16| (b.wrapping_sub(a).wrapping_add(1) as u16) < 3;
        if close(self.x, b.x) && close(self.y, b.y) {
            self.hit = true;
            b.been = true;
            return 1;
        }
        0
    }

    /// Takes 1 off the lifetime and reports whether any of it is left.
    #[inline(always)]
    pub fn aged(&mut self) -> bool {
        self.ttl -= 1;
        self.ttl != 0
    }
}
