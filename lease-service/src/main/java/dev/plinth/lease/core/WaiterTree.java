package dev.plinth.lease.core;

/**
 * Waiters in their order, with the position of each at a logarithmic cost: a balanced tree (treap)
 * that knows the size of every subtree.
 */
final class WaiterTree {
  /** Takes waiters with their positions, counted from 1. */
  interface Visitor {
    void visit(Waiter waiter, int position);
  }

  private static final class Node {
    final Waiter waiter;
    final long weight;
    int size = 1;
    Node left;
    Node right;

    Node(Waiter waiter) {
      this.waiter = waiter;
      this.weight = mixed(waiter.place);
    }

    void count() {
      size = 1 + sizeOf(left) + sizeOf(right);
    }
  }

  private Node root;

  int size() {
    return sizeOf(root);
  }

  void add(Waiter waiter) {
    root = add(root, new Node(waiter));
  }

  /** False if it was not there. */
  boolean remove(Waiter waiter) {
    int before = size();
    root = remove(root, waiter);
    return size() < before;
  }

  /** Null if there is none. */
  Waiter first() {
    Node node = root;
    while (node != null && node.left != null) {
      node = node.left;
    }
    return node == null ? null : node.waiter;
  }

  /** Null if there is none. */
  Waiter last() {
    Node node = root;
    while (node != null && node.right != null) {
      node = node.right;
    }
    return node == null ? null : node.waiter;
  }

  /** How many stand before one with this rank and place. */
  int countBefore(long rank, long place) {
    int before = 0;
    Node node = root;
    while (node != null) {
      if (Waiter.compare(node.waiter.rank, node.waiter.place, rank, place) < 0) {
        before += sizeOf(node.left) + 1;
        node = node.right;
      } else {
        node = node.left;
      }
    }
    return before;
  }

  /** Visits those from one position up to another, the latter left out, in order. */
  void visit(int from, int to, Visitor visitor) {
    visit(root, 1, from, to, visitor);
  }

  private static void visit(Node node, int first, int from, int to, Visitor visitor) {
    if (node == null || first >= to || first + node.size <= from) {
      return;
    }
    visit(node.left, first, from, to, visitor);
    int position = first + sizeOf(node.left);
    if (position >= from && position < to) {
      visitor.visit(node.waiter, position);
    }
    visit(node.right, position + 1, from, to, visitor);
  }

  private static Node add(Node node, Node added) {
    if (node == null) {
      return added;
    }
    if (Waiter.ORDER.compare(added.waiter, node.waiter) < 0) {
      node.left = add(node.left, added);
      return node.left.weight > node.weight ? rotateRight(node) : counted(node);
    }
    node.right = add(node.right, added);
    return node.right.weight > node.weight ? rotateLeft(node) : counted(node);
  }

  private static Node remove(Node node, Waiter waiter) {
    if (node == null) {
      return null;
    }
    int order = Waiter.ORDER.compare(waiter, node.waiter);
    if (order == 0) {
      // One that came back has the place of its former self, and is another.
      return node.waiter == waiter ? merge(node.left, node.right) : node;
    }
    if (order < 0) {
      node.left = remove(node.left, waiter);
    } else {
      node.right = remove(node.right, waiter);
    }
    return counted(node);
  }

  private static Node merge(Node left, Node right) {
    if (left == null || right == null) {
      return left == null ? right : left;
    }
    if (left.weight > right.weight) {
      left.right = merge(left.right, right);
      return counted(left);
    }
    right.left = merge(left, right.left);
    return counted(right);
  }

  private static Node rotateRight(Node node) {
    Node up = node.left;
    node.left = up.right;
    node.count();
    up.right = node;
    return counted(up);
  }

  private static Node rotateLeft(Node node) {
    Node up = node.right;
    node.right = up.left;
    node.count();
    up.left = node;
    return counted(up);
  }

  private static Node counted(Node node) {
    node.count();
    return node;
  }

  private static int sizeOf(Node node) {
    return node == null ? 0 : node.size;
  }

  /** Spreads numbers that count up, so that the tree is balanced whatever the order of arrival. */
  private static long mixed(long number) {
    long mixed = (number + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return mixed ^ mixed >>> 31;
  }
}
