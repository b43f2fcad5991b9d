# Two springs with a massless node between them, a descriptor system of index 1, and a slow force.
# Königsmarková, report 2014V005, sec. 5.2 (27).
param k1 = 5 [N/m], k2 = 10 [N/m], M = 0.2 [kg]
param x0 = 1 [m], a = 1 [N], b = 0.5 [rad/s]
param omega = sqrt(k1*k2/((k1 + k2)*M)) [rad/s]
param A = a/(M*(omega^2 - b^2)) [m]       # amplitude of the forced motion
input u = a*cos(b*t) [N]

x2' = v2
v2' = k2/M*x1 - k2/M*x2 + u/M
0   = -(k1 + k2)*x1 + k2*x2

init x2 = x0 [m], v2 = 0 [m/s]
guess x1 = 2/3*x0 [m]
output error = x2 - (A*cos(b*t) + (x0 - A)*cos(omega*t)) [m]
run 0 .. 5
