//! petgraph's StableGraph, of which only the nodes are used. It is among the rivals of the thesis.

use crate::collection::{crossing, Collection, Crossing};
use crate::collider::Collider;
use petgraph::stable_graph::{NodeIndex, StableDiGraph};

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

crossing!(
    Nodes<Collider>,
    |c| c.node_indices(),
    c.node_weights_mut(),
    |i, j| Some(c.index_twice_mut(i, j))
);

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
