"""RLDS datasets: tfrecord files read without TensorFlow."""
