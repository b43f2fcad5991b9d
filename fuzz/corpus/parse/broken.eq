param a = b, b = a
x' = a[1
 init x = (1
when x: y = 2