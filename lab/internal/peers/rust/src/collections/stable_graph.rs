//! petgraph's StableGraph, of which only the nodes are used. It is among the rivals of the thesis.

use crate::collection::{Collection, Crossing};
use crate::collider::{Collider, FAR};
use petgraph::stable_graph::{NodeIndex, StableDiGraph};
use std::mem::replace;

pub type Nodes<T> = StableDiGraph<T, ()>;

impl<T: 'static> Collection<T> for Nodes<T> {
    type Handle = NodeIndex;

    fn with_room(n: usize) -> Self {
        Nodes::with_capacity(n, 0)
    }

    fn len(&self) -> usize {
        self.node_count()
    }

    fn insert(&mut self, v: T) -> NodeIndex {
        self.add_node(v)
    }

    fn get<R>(&self, h: &NodeIndex, f: impl FnOnce(&T) -> R) -> Option<R> {
        self.node_weight(*h).map(f)
    }

    fn remove(&mut self, h: &NodeIndex) -> Option<T> {
        self.remove_node(*h)
    }

    fn for_each(&self, f: impl FnMut(&T)) {
        self.node_weights().for_each(f);
    }

    fn for_each_mut(&mut self, f: impl FnMut(&mut T)) {
        self.node_weights_mut().for_each(f);
    }

    fn retain(&mut self, mut keep: impl FnMut(&mut T) -> bool) {
        self.retain_nodes(|mut nodes, i| keep(&mut nodes[i]));
    }
}

impl Crossing for Nodes<Collider> {
    fn cross(&mut self, keys: &mut Vec<NodeIndex>) -> usize {
        keys.clear();
        keys.extend(self.node_indices());
        let mut pairs = 0;
        for &k in keys.iter() {
            let mut a = replace(&mut self[k], FAR);
            for b in self.node_weights_mut() {
                pairs += a.meet(b);
            }
            self[k] = a;
        }
        pairs
    }

    fn cross_two_keys(&mut self, keys: &mut Vec<NodeIndex>) -> Option<usize> {
        keys.clear();
        keys.extend(self.node_indices());
        let mut pairs = 0;
        for &i in keys.iter() {
            for &j in keys.iter() {
                if i == j {
                    continue; // index_twice_mut panics
                }
                let (a, b) = self.index_twice_mut(i, j);
                pairs += a.meet(b);
            }
        }
        Some(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_used_again() {
        let mut g = Nodes::with_capacity(1, 0);
        let old = g.add_node(1);
        g.remove_node(old);
        assert_eq!(g.node_weight(old), None);
        g.add_node(2);
        assert_eq!(g.node_weight(old), Some(&2));
    }
}
